import type { Cli } from '../frame/context.ts';

// The scripts only hand the words over: what can follow is known to the program alone, so they never grow old.
// APPCTL_* variables of the shell reach the program as they would in a real call.

const bash = `# completion of appctl for bash: source <(appctl completion bash)
_appctl() {
  local line prefix cur=\${COMP_WORDS[COMP_CWORD]} words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  # bash splits --flag=value at the equals sign; put it together again.
  local joined=() word
  for word in "\${words[@]}"; do
    if [[ \${#joined[@]} -gt 0 && ( $word == "=" || \${joined[-1]} == --*= ) ]]; then
      joined[-1]+=$word
    else
      joined+=("$word")
    fi
  done
  prefix=
  if [[ \${joined[-1]} == --*=* ]]; then prefix=\${joined[-1]%%=*}=; [[ $cur == "=" ]] && cur=; fi
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
    else
      line=\${line%%$'\\t'*}
      COMPREPLY+=("\${line#"$prefix"}")
    fi
  done < <("\${COMP_WORDS[0]}" complete-words -- "\${joined[@]}" 2>/dev/null)
}
complete -F _appctl appctl
`;

const zsh = `#compdef appctl
# completion of appctl for zsh: source <(appctl completion zsh)
_appctl() {
  local line word summary
  local -a candidates
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      _files
      continue
    fi
    word=\${line%%$'\\t'*}
    summary=\${line#*$'\\t'}
    candidates+=("\${word//:/\\\\:}:$summary")
  done < <("\${words[1]}" complete-words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#candidates} )) && _describe 'appctl' candidates
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _appctl "$@"; else compdef _appctl appctl; fi
`;

const fish = `# completion of appctl for fish: appctl completion fish > ~/.config/fish/completions/appctl.fish
function __appctl_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete-words -- $words[2..-1] 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c appctl -f -a '(__appctl_complete)'
`;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish };

/** `appctl completion bash|zsh|fish`. */
export async function printCompletionScript(cli: Cli): Promise<void> {
  const script = scripts[cli.argument('shell')];
  if (script === undefined) throw new Error(`no completion script for ${cli.argument('shell')}`);
  cli.out.raw(script);
}
