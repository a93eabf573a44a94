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

// PowerShell drops an empty word that it hands to a program, so that a word which is not begun yet is told by a flag.
const powershell = `# completion of appctl for PowerShell: appctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'appctl', 'appctl.exe' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @(foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
        if ($element.Extent.StartOffset -ge $cursorPosition) { break }
        if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
            $element.Value
        }
        else {
            $element.Extent.Text
        }
    })
    $flags = @()
    if ($wordToComplete -eq '') { $flags = @('--new-word') }
    $program = $commandAst.CommandElements[0].Extent.Text.Trim('"', "'")
    $lines = @(& $program complete-words @flags -- @words 2>$null)
    foreach ($line in $lines) {
        if ($line -eq ':files') {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
            continue
        }
        $word, $summary = $line -split [char]9, 2
        if (-not $word) { continue }
        if (-not $summary) { $summary = $word }
        $text = $word
        if ($word -match '[\\s''"\`$;&|(){}<>@#,]') { $text = "'" + $word.Replace("'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new($text, $word, 'ParameterValue', $summary)
    }
}
`;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish, powershell };

/** `appctl completion bash|zsh|fish|powershell [--install]`. */
export async function completion(cli: Cli): Promise<void> {
  const shell = cli.argument('shell');
  const script = scripts[shell];
  if (script === undefined) throw new Error(`no completion script for ${shell}`);
  if (cli.flag('install')) return (await import('./install.ts')).installScript(cli, shell, script);
  cli.out.raw(script);
}
