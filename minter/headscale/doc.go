// Package headscale is the minter's client of Headscale's REST API: what was
// asked is answered, or there is an Error whose class says what is known.
//
// It distrusts what lies between. Headscale's own answers are recognised by
// status, content type and shape together; everything else, a proxy's page or a
// redirect, is NotHeadscale and decides nothing. Ids are canonical, times are
// RFC 3339, the list that proves an absence is whole. No answer is longer than a
// fixed bound. Nothing of an answer, of the URL or of a key is in an error.
//
// Only reads are tried again. A request that mints is sent once, on a connection
// of its own, and where its effect is not known its class is Lost.
//
// The server is reached directly: HTTP_PROXY and its relatives are not read, since
// a change of the environment must not send the API key elsewhere. Redirects are
// not followed.
//
// Seen with Headscale 0.29.3, of which test/headscale runs the real server; errors
// as problem+json and 404 for unknown keys are for 0.30.
package headscale
