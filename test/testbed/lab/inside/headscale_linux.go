package inside

import "context"

func (l *Lab) headscale() error { return nil }

func (l *Lab) headscaleCA() string { return "" }

func (l *Lab) laptopKey(context.Context) ([]byte, error) { return nil, nil }
