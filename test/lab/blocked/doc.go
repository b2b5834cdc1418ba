// Package blocked holds the tests of what stops a gateway on its way or afterwards:
// each cause is brought about by a person with kubectl, the real minter says which
// object it is and what to do, and the command in that message is run as it stands
// until the gateway goes on. They need the build tag lab, and root.
//
// Two minters run side by side. The admission policies are in force in the
// operator namespace of the first. In that of the second no policy applies: what
// admission refuses in the one is brought about in the other, where the minter has
// to be right alone.
//
// Where a case needs a node, the lab's kubelet runs the gateway's Pod. Elsewhere
// the Pods ask for a node that is not there, and a stand-in for the kubelet reports
// about them: that the preflight check has passed, and that Tailscale waits for its
// Secret. It starts nothing, so that these gateways complete and no node of theirs
// ever registers.
package blocked
