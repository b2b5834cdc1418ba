// Package report turns a verdict, and the world that it was made about, into the
// status of a TailnetGateway: every condition of the table, said from this pass's
// evidence alone, and the fields beside them (ST-01, ST-07). It decides nothing.
package report
