# Prints the build of the directory, if it holds every gateway as it is rendered. One
# that lacks the nine would be a wish to delete them.
set -eu
refuse() {
  printf '%s\n' "$@" >&2
  exit 1
}

# What the Application says is read.
set --
while eval "[ -n \"\${PARAM_INPUTS_$#+set}\" ]"; do
  eval "input=\$PARAM_INPUTS_$#"
  case $input in
  '' | -) refuse "inputs[$#] of the Application is neither a directory nor a file" ;;
  esac
  set -- "$@" "$input"
done

# Whoever may push names no program: kustomize gets no --enable-exec, what it finds on
# its PATH is the docker of this directory, no git, and there are no plugins of its own.
TSUNARO_FN=$(command -v tsunaro-fn)
kustomize=$(command -v kustomize)
build=$(
  unset KUSTOMIZE_PLUGIN_HOME XDG_CONFIG_HOME
  export TSUNARO_FN PATH="${0%/*}" HOME=/dev/null
  "$kustomize" build --enable-alpha-plugins .
)

# If the Application says nothing: the CRs that the build holds, or else the directory's.
line='
'
if [ $# -eq 0 ]; then
  case $line$build$line in
  *"${line}apiVersion: tsunaro.io/v1alpha1${line}kind: TailnetGateway$line"*) ;;
  *) set -- . ;;
  esac
fi
if ! checked=$(printf '%s\n' "$build" | tsunaro-fn check-render --build - -- "$@" 2>&1); then
  case $checked in
  *'the function did not run'* | *'[no-gateway]'*)
    refuse "$checked" 'Here a GatewayRender names the image of tsunaro-fn (container); programs (exec) are not run.'
    ;;
  *) refuse "$checked" ;;
  esac
fi
# Beside the build's own CRs, the kustomization file is looked at as CI does it.
if [ $# -eq 0 ] && printf '%s\n' "$build" | tsunaro-fn check-render --build - . 2>/dev/null | grep 'has no effect on the nine' >&2; then
  exit 1
fi
printf '%s\n' "$checked" >&2
printf '%s\n' "$build"
