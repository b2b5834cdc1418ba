// Command empty does nothing. It is the floor of the benchmarks: what starting
// any Go program costs.
package main

func main() {}
