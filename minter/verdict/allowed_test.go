package verdict_test

import (
	"slices"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
)

// allowed says what must be so before a step.
func allowed(w observe.World, v verdict.Verdict) bool {
	s := v.Step
	g := string(gatewayIn(w).UID)
	r, registered := w.Registry.Get()
	e, listed, err := registry.Read(r.Data, "lab-gw")
	state, exists := w.State.Get()
	fresh, completed := w.Fresh.Get()

	if s.Do == verdict.None {
		return true
	}
	if w.Registry.Unknown() || s.Do != verdict.RemoveForeignEntry && r.Data["lab_gw_gateway_uid"] != "" && r.Data["lab_gw_gateway_uid"] != g {
		return false // nothing before a foreign entry is gone
	}
	known := !w.State.Unknown() && !w.Auth.Unknown() && !w.AuthReceipt.Unknown() && !w.Fresh.Unknown() && !w.Pods.Unknown()
	for _, m := range w.Nine {
		known = known && !m.Unknown()
	}
	bare := w.Auth.Absent() && w.AuthReceipt.Absent() && w.Fresh.Absent() && w.FreshNext.Absent()
	mine := exists && state.Labels["tsunaro.io/gateway-uid"] == g && !state.Deleting && !state.Immutable
	named := listed && err == nil && e.GatewayUID == g && exists && e.StateUID == state.UID
	attempt := w.Attempt.Minting
	begun := named && e.Phase == registry.Minting && attempt != nil && attempt.StateUID == e.StateUID && attempt.Expires.Equal(e.MintExpires)
	live := w.Now.Before(e.MintExpires)

	switch s.Do {
	case verdict.RemoveForeignEntry:
		return registered && r.Data["lab_gw_gateway_uid"] != g
	case verdict.CreateState:
		return known && bare && w.State.Absent() && !listed && err == nil && every(w, 0) && len(podsOf(w)) == 0
	case verdict.OpenEntry:
		return known && bare && mine && state.Content == proof.Empty && !listed && err == nil &&
			w.Attempt.StateUID == state.UID && every(w, 0) && len(podsOf(w)) == 0
	case verdict.SwapMinting:
		return known && bare && mine && state.Content == proof.Empty && named && e.Phase == registry.Open && every(w, verify.Same) && awaiting(w)
	case verdict.Mint:
		return known && bare && mine && state.Content == proof.Empty && begun && live && !attempt.Asked && attempt.Minted == nil &&
			every(w, verify.Same) && awaiting(w) && s.Request.Expiration.Equal(e.MintExpires)
	case verdict.CreateAuth:
		return known && bare && mine && state.Content == proof.Empty && begun && live && attempt.Minted != nil && every(w, verify.Same) && awaiting(w)
	case verdict.CreateAuthReceipt:
		auth, ok := w.Auth.Get()
		return known && ok && w.AuthReceipt.Absent() && w.Fresh.Absent() && w.FreshNext.Absent() && mine && begun && live &&
			attempt.Auth != nil && attempt.Auth.UID == auth.UID && attempt.Auth.Revision == auth.Revision
	case verdict.CreateFresh:
		auth, ok := w.Auth.Get()
		record, recorded := w.AuthReceipt.Get()
		return known && ok && recorded && w.Fresh.Absent() && w.FreshNext.Absent() && mine && state.Content != proof.Foreign && named &&
			e.Phase == registry.Minting && live && record.Err == nil && record.Labels["tsunaro.io/gateway-uid"] == g &&
			record.Receipt.Secret.UID == auth.UID && record.Receipt.Secret.Revision == auth.Revision && every(w, verify.Same)
	case verdict.SwapComplete, verdict.RewriteEntry:
		return completed && fresh.Err == nil && fresh.Receipt.Gateway.UID == g && exists && state.UID == fresh.Receipt.State.UID &&
			w.Auth.Known() && w.AuthReceipt.Known() && (s.Do == verdict.SwapComplete) == (listed && err == nil)
	case verdict.ExpireKey:
		return completed && fresh.Err == nil && listed && e.Phase == registry.Complete && exists && state.Content == proof.Filled && s.Key == fresh.Receipt.KeyID
	case verdict.CloseEntry:
		over := e.Phase == registry.Open || e.Phase == registry.Minting && !live
		return known && bare && listed && err == nil && over && (w.State.Absent() || e.StateUID != state.UID || mine && undoable(w))
	case verdict.DeleteObject, verdict.DeleteState:
		podGone := len(podsOf(w)) == 0 || s.Object.Kind == "StatefulSet"
		last := s.Do == verdict.DeleteObject || every(w, 0)
		return known && bare && mine && !listed && err == nil && undoable(w) && podGone && last && s.UID != ""
	}
	return false
}

// every reports whether all nine are in a state; 0 is not there.
func every(w observe.World, want verify.State) bool {
	return !slices.ContainsFunc(w.Nine[:], func(f observe.Fact[observe.Member]) bool {
		m, there := f.Get()
		return there != (want != 0) || there && m.Result.State != want
	})
}

func awaiting(w observe.World) bool {
	all := podsOf(w)
	workload, _ := w.Nine[observe.Workload].Get()
	return len(all) == 1 && all[0].Owner == workload.UID && all[0].Preflight == observe.Passed && all[0].Tailscale == observe.Waiting
}

// undoable is what LC-22 asks of the objects of an attempt.
func undoable(w observe.World) bool {
	state, _ := w.State.Get()
	for _, f := range w.Nine {
		if m, there := f.Get(); there && m.Result.State != verify.Same && m.Result.State != verify.Behind {
			return false
		}
	}
	return state.Content == proof.Empty && !slices.ContainsFunc(podsOf(w), func(p observe.Pod) bool { return p.Tailscale == observe.Started })
}
