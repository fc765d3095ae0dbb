# What code-server's own install script does, without its downloads: after `npm ci --ignore-scripts` in this folder.
# Its compiled parts are built against Node's headers under /usr; ripgrep comes from npm.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
modules=$PWD/node_modules
vscode=$modules/code-server/lib/vscode
done=$modules/.finished-install
[ -e "$done" ] && exit 0

export npm_config_nodedir=/usr npm_config_build_from_source=true npm_config_loglevel=error
npm rebuild argon2 </dev/null
(cd "$vscode" && npm ci --omit=dev --ignore-scripts --legacy-peer-deps --no-audit --no-fund </dev/null)
ln -sfn node_modules "$vscode/node_modules.asar"
mkdir -p "$vscode/node_modules/@vscode/ripgrep/bin"
cp "$modules/@vscode/ripgrep-linux-x64/bin/rg" "$vscode/node_modules/@vscode/ripgrep/bin/rg"
touch "$done"
