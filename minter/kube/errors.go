package kube

import (
	"context"
	"encoding/json"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"tsunaro.io/gateway/minter/observe"
)

// Outcome is why a write did not succeed. It is an error with a fixed text.
type Outcome uint8

// The outcomes. After every one but Lost nothing was written.
const (
	Exists   Outcome = iota + 1 // something of that name is there
	Conflict                    // the object has another revision or UID, or is gone
	Refused                     // the server does not allow it, by permission, admission or validation
	Lost                        // no answer: whether it was written is not known (MT-04)
)

// Error returns the fixed text.
func (o Outcome) Error() string {
	switch o {
	case Exists:
		return "the object exists already"
	case Conflict:
		return "the object was changed meanwhile"
	case Refused:
		return "the API server refuses the write"
	default:
		return "the API server's answer to a write is missing"
	}
}

// result classifies the error of a write.
func result(err error) error {
	switch {
	case err == nil:
		return nil
	case apierrors.IsAlreadyExists(err):
		return Exists
	case apierrors.IsConflict(err), apierrors.IsNotFound(err), apierrors.IsGone(err):
		return Conflict
	case definite(err):
		return Refused
	default:
		return Lost
	}
}

// definite reports whether the server itself has said that nothing was written.
func definite(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	code := status.Status().Code
	return code >= 400 && code < 500
}

// classOf says why a read gave no answer.
func classOf(err error) observe.Class {
	var status apierrors.APIStatus
	switch {
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return observe.Denied
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), !errors.As(err, &status):
		return observe.Unreachable
	case apierrors.IsServerTimeout(err), apierrors.IsTooManyRequests(err), apierrors.IsServiceUnavailable(err), apierrors.IsInternalError(err), apierrors.IsTimeout(err):
		return observe.Unreachable
	default:
		return observe.Unreadable
	}
}

func finalizerPatch(uid, revision string, finalizers []string) ([]byte, error) {
	if finalizers == nil {
		finalizers = []string{}
	}
	return json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": uid, "resourceVersion": revision, "finalizers": finalizers,
	}})
}
