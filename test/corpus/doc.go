// Package corpus is the shared corpus of accepted and refused inputs (CF-07):
// for every admission rule what lies just inside and just outside of it. The
// renderer, the CRDs and the Rego policies run the same cases, so that they
// cannot come to disagree.
//
// The file rules.yaml is a list of rules. Each names its fixed text once more,
// independently of package rules, the engines that know it, and its cases:
//
//   - id: prefix
//     text: must be a canonical IPv4 prefix ...
//     engines: [render, crd]
//     why: what the rule protects
//     accept:
//   - why: the smallest prefix
//     set: {"gateway:spec.routes.lan[0]": 192.168.10.7/32}
//     refuse:
//   - why: host bits
//     set: {"gateway:spec.routes.lan[0]": 192.168.10.7/24}
//     object: TailnetGateway/lab-gw
//     path: spec.routes.lan[0]
//
// A case starts from the documents of the directory base and changes them:
//
//	with    adds optional base documents: second, a second gateway
//	drop    removes base documents
//	set     writes values; a key is document:path, a path is dotted, [0] is a
//	        list index (the length of the list appends) and [a.b/c] a map key
//	unset   removes values
//	add     is YAML text that follows the base documents
//	input   is YAML text that replaces all of them
//	old     is a set that gives the object as it was before an update
//	engines narrows the engines of the rule for this case
//
// An accepted case is not refused, by no rule at all; of a rule that only warns
// it does not get the warning. A refused case gets this rule, on this object
// and at this path; other findings may accompany it. crdPath is where the CRD
// can only point less exactly; the path of a whole object is empty.
//
// In the text of rules.yaml "<ab*3>" stands for ababab. In a set,
// {$list: {n: 3, from: 1, item: "x%d"}} stands for the list x1, x2, x3, and
// {$lines: {n: 3, from: 1, line: "x%d"}} for the text of the lines x1 to x3.
//
// The engine function runs an input as its ResourceList, in a directory that
// holds the files of base.
package corpus
