package headscale

import (
	"context"

	"tsunaro.io/gateway/test/testbed/process"
)

// Server is a running Headscale.
type Server struct {
	*Access

	process *process.Process
}

// Start runs the server and returns when it is healthy. The caller stops it; its
// directory stays, and a later Start goes on with what it holds.
func Start(ctx context.Context, o Options) (*Server, error) {
	a, err := Open(o)
	if err != nil {
		return nil, err
	}
	s := &Server{Access: a}
	if err := s.run(ctx); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

func (s *Server) run(ctx context.Context) (err error) {
	program, args, env := s.Serve()
	s.process, err = process.Start(process.Command{Path: program, Args: args, Env: env, Dir: s.options.Dir, Log: s.Log()})
	if err != nil {
		return err
	}
	client := s.HTTP()
	defer client.CloseIdleConnections()
	return s.process.Await(ctx, process.Answers(client, s.URL+"/health"))
}

// Log is the path of the server's log.
func (s *Server) Log() string { return s.file("headscale.log") }

// Stop ends the server.
func (s *Server) Stop() { s.process.Kill() }

// Restart kills the server and starts it again on its database.
func (s *Server) Restart(ctx context.Context) error {
	s.Stop()
	return s.run(ctx)
}
