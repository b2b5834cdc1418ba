# Prints something if the directory is one for this plugin: a file of it holds a
# GatewayRender, or its Application says what is read.
if [ -n "${PARAM_INPUTS_0+set}" ]; then
  echo inputs
  exit
fi
set --
for file in *.yaml *.yml *.json Kustomization; do
  if [ -f "$file" ]; then
    set -- "$@" "./$file"
  fi
done
if [ $# -gt 0 ]; then
  grep -l "^[^#]*kind[\"']\{0,1\}[[:space:]]*:[[:space:]]*[\"']\{0,1\}GatewayRender[\"']\{0,1\}\([[:space:],}].*\)\{0,1\}\$" "$@" || [ $? -eq 1 ]
fi
