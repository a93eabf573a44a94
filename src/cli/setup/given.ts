import { parseAnswers } from '#kernel/config/answers-file.ts';
import type { ConfigFlags } from '#kernel/config/sources.ts';
import { tomlFault } from '#kernel/config/toml.ts';
import { nearest } from '#kernel/edit-distance.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { SecretFlags } from '../frame/secrets.ts';

/** Flags that set configuration keys; an answers file may give them too. */
const CONFIG_FLAGS = ['data-dir', 'db', 'base-url', 'tenant'];

/** What flags and the answers file give; a flag wins. */
export interface Given {
  text(name: string): string | undefined;
  flag(name: string): boolean;
  /** Flags for the configuration loader. */
  readonly configFlags: ConfigFlags;
  /** For a secret of this name. */
  secret(name: string): SecretFlags;
}

/** @throws usage error (2) when the answers file cannot be read or names something unknown */
export async function readGiven(cli: Cli): Promise<Given> {
  const path = cli.option('answers');
  const answers = path === undefined ? new Map<string, string | true>() : await readAnswers(cli, path);
  const raw = (name: string): string | true | undefined =>
    cli.option(name) ?? (cli.flag(name) || undefined) ?? answers.get(name);
  const text = (name: string) => {
    const value = raw(name);
    return value === true ? undefined : value;
  };
  const flag = (name: string) => raw(name) === true;
  const configFlags: Record<string, string | true> = { ...cli.configInput().flags };
  for (const name of CONFIG_FLAGS) configFlags[`--${name}`] ??= text(name) ?? '';
  for (const [name, value] of Object.entries(configFlags)) if (value === '') delete configFlags[name];
  return {
    text,
    flag,
    configFlags,
    secret: (name) => ({ name, option: text, flag, declares: (option) => cli.declares(option) }),
  };
}

async function readAnswers(cli: Cli, path: string): Promise<Map<string, string | true>> {
  const text = await cli.readText('--answers', path);
  const known = [...(cli.spec.options ?? []).map((option) => option.name), ...CONFIG_FLAGS];
  const answers = await parseAnswers(text).catch((error: unknown) => {
    throw usageError(`--answers ${path}: ${tomlFault(error)}`);
  });
  for (const name of answers.keys()) {
    if (known.includes(name) && name !== 'answers') continue;
    const meant = nearest(name, known);
    throw usageError(`--answers ${path}: unknown flag --${name}`, meant && `did you mean ${meant}?`);
  }
  return answers;
}
