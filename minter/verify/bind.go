package verify

import (
	"errors"
	"fmt"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/plan"
)

// formats are the render formats that can be verified here, each with what
// renders it (RN-11).
var formats = map[int]func(model.Inputs, plan.Plan) objects.Set{1: objects.Render}

// UnknownFormat is the error of a gateway whose render format is not known here.
type UnknownFormat struct{ Format int }

// Error names the format.
func (e UnknownFormat) Error() string { return fmt.Sprintf("render format %d is not known", e.Format) }

// KnownFormat returns nil, or UnknownFormat for the render format of a spec that
// the renderer of this program would refuse. No format written is format 1.
func KnownFormat(format int) error {
	if _, ok := formats[format]; !ok && format != 0 {
		return UnknownFormat{format}
	}
	return nil
}

// ErrUIDs means that the UIDs to bind to are no UIDs, or one and the same.
var ErrUIDs = errors.New("the UIDs of the gateway and its state Secret are not two UIDs")

// Bind renders an admitted and planned gateway with the UIDs of its
// TailnetGateway and its state Secret, under its own format and suspended or not.
// The error is ErrUIDs or UnknownFormat.
func Bind(g renderer.Gateway, gatewayUID, stateUID string) (objects.Set, error) {
	if !model.UID(gatewayUID) || !model.UID(stateUID) || gatewayUID == stateUID {
		return objects.Set{}, ErrUIDs
	}
	render, ok := formats[g.Gateway.Format]
	if !ok {
		return objects.Set{}, UnknownFormat{g.Gateway.Format}
	}
	in := g.Inputs
	in.Binding = model.Binding{GatewayUID: gatewayUID, StateUID: stateUID}
	return render(in, g.Plan), nil
}
