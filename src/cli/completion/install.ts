import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '#kernel/environment.ts';
import type { Cli } from '../frame/context.ts';
import { CliError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';

/** Begins every script, so that a file of somebody else is told from one of this program. */
const OWN = 'completion of appctl for';
const IN_PROFILE = 'appctl completion powershell | Out-String | Invoke-Expression';

interface Place {
  readonly path: string;
  /** What is still to be done in the shell. */
  readonly next: string;
}

/** `appctl completion SHELL --install`: for the account that runs it. @throws CliError (5) for a foreign file */
export function installScript(cli: Cli, shell: string, script: string): void {
  const { path, next } = placeOf(shell, cli.io.env);
  const text = shell === 'powershell' ? inProfile(path) : inFile(path, script);
  const isNew = text !== null;
  if (isNew && !cli.dryRun) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const done = isNew ? (cli.dryRun ? 'would write' : 'wrote') : 'nothing to do:';
  cli.out.raw([done, ' ', path, isNew ? '' : ' is up to date', '\n'].join(''));
  if (isNew && !cli.dryRun) cli.note(next);
}

function placeOf(shell: string, env: Environment): Place {
  const home = env.HOME ?? '';
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  const data = env.XDG_DATA_HOME || join(home, '.local/share');
  if (shell === 'bash')
    return {
      path: join(data, 'bash-completion/completions/appctl'),
      next: 'Open a new terminal. If nothing is completed there, install the package bash-completion.',
    };
  if (shell === 'fish')
    return { path: join(config, 'fish/completions/appctl.fish'), next: 'Open a new terminal.' };
  if (shell === 'powershell')
    return { path: join(config, 'powershell/profile.ps1'), next: 'Open a new PowerShell.' };
  const folder = join(data, 'zsh/site-functions');
  return {
    path: join(folder, '_appctl'),
    next: `Add this line to ~/.zshrc before compinit, then open a new terminal: fpath=(${folder} $fpath)`,
  };
}

/** @returns the text to write; null where it is there already */
function inFile(path: string, script: string): string | null {
  if (!existsSync(path)) return script;
  const present = readFileSync(path, 'utf8');
  if (present === script) return null;
  if (present.includes(OWN)) return script;
  throw new CliError(exits.conflict, 'FILE_EXISTS', `${path} exists and is not of appctl`, {
    hint: 'move it away, or print the script and place it yourself: appctl completion --help',
  });
}

function inProfile(path: string): string | null {
  const present = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (present.includes(IN_PROFILE)) return null;
  const before = present === '' || present.endsWith('\n') ? present : `${present}\n`;
  return `${before}${IN_PROFILE}\n`;
}
