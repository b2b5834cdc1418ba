# METADATA
# title: Findings
# description: A finding is one rule broken at one place. What it says of the rule comes from the rule's metadata.
package tsunaro.finding

# METADATA
# description: |
#   of is the finding of the rule whose metadata the chain holds. Text reads on
#   from the field, such as "must be 1, is 2".
of(chain, object, path, text) := {
	"id": rule.custom.id,
	"severity": rule.custom.severity,
	"requirements": rule.custom.requirements,
	"object": object,
	"path": path,
	"text": said,
	"remedy": rule.custom.remedy,
	"msg": sprintf("%s: %s; %s [%s]", [concat(": ", [s | some s in [object, path]; s != ""]), said, rule.custom.remedy, rule.custom.id]),
} if {
	said := discreet(path, text)
	rule := [link.annotations | some link in chain; link.annotations.custom.id][0]
}

# METADATA
# description: |
#   private tells whether a field is one that people put keys into by mistake.
#   What is there is not repeated in a pipeline's log.
private(path) if regex.match(`(^|\.)(env|args|command|data|stringData)([\[.]|$)`, path)

discreet(path, text) := regex.replace(regex.replace(text, `^must stay .*`, "must stay as it was"), `, is [^m].*`, ", is something else") if private(path)

else := text

# METADATA
# description: value is a value as others may see it.
value(path, v) := "something else" if {
	private(path)
	v != null
}

else := v

# METADATA
# description: must says what a field has to be and what it is; null stands for a field that is not there.
must(null, have) := sprintf("must not be set, is %s", [show(have)])

must(want, null) := sprintf("must be %s, is missing", [show(want)]) if want != null

must(want, have) := sprintf("must be %s, is %s", [show(want), show(have)]) if {
	want != null
	have != null
}

# METADATA
# description: show is a value as a reader can take it in. Long text is not repeated.
show(value) := json.marshal(value) if {
	not long(value)
}

show(value) := "something else" if long(value)

long(value) if count(json.marshal(value)) > 120

# METADATA
# description: stay says what a field was and what it is now.
stay(null, have) := sprintf("must stay unset, is %s", [show(have)])

stay(want, null) := sprintf("must stay %s, is missing", [show(want)]) if want != null

stay(want, have) := sprintf("must stay %s, is %s", [show(want), show(have)]) if {
	want != null
	have != null
}
