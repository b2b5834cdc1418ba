# Prints the build of the directory, if it holds every gateway as it is rendered. One
# that lacks the nine would be a wish to delete them.
set -eu
build=$(kustomize build --enable-alpha-plugins --enable-exec .)

# What the function reads: what the Application says, or else what the build holds, or
# else what the directory does.
set --
while eval "input=\${PARAM_INPUTS_$#-}" && [ -n "$input" ]; do
  set -- "$@" "$input"
done
case $#$build in
0*'kind: TailnetGateway'*) ;;
0*) set -- . ;;
esac
printf '%s\n' "$build" | tsunaro-fn check-render --build - -- "$@" >&2
printf '%s\n' "$build"
