package section

import "testing"

const page = "# Page\n\n<!-- idle: written by make bench-idle -->\nold\n<!-- end of idle -->\n\nrest\n"

func TestReplace(t *testing.T) {
	next, err := Replace(page, "idle", "new\n")
	if want := "# Page\n\n<!-- idle: written by make bench-idle -->\nnew\n<!-- end of idle -->\n\nrest\n"; next != want || err != nil {
		t.Errorf("%q %v", next, err)
	}
	if again, err := Replace(next, "idle", "old\n"); again != page || err != nil {
		t.Errorf("%q %v", again, err)
	}
	if _, err := Replace(page, "other", "x"); err == nil {
		t.Error("a section was made")
	}
	if _, err := Replace("<!-- idle: written by make bench-idle -->\nno end", "idle", "x"); err == nil {
		t.Error("a section without an end was replaced")
	}
}

func TestOf(t *testing.T) {
	if got, want := Of(page, "idle"), "<!-- idle: written by make bench-idle -->\nold\n<!-- end of idle -->\n"; got != want {
		t.Errorf("%q", got)
	}
	if got, want := Of(page, "other"), "<!-- other: written by make bench-other -->\n<!-- end of other -->\n"; got != want {
		t.Errorf("%q", got)
	}
}
