import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { type Environment, homeFolder } from '../environment.ts';
import type { ConfigProblem } from './errors.ts';
import { sourceFlags, sourceVariables } from './table.ts';

/** Flags by their typed name (`--listen`); true for a flag without a value. */
export type ConfigFlags = Readonly<Record<string, string | true>>;

export interface ConfigInput {
  flags?: ConfigFlags;
  env?: Environment;
  /** Directory that relative paths count from. */
  cwd?: string;
}

/** The files that configure a run. `null`: none is used. */
export interface ConfigFiles {
  config: string | null;
  envFile: string | null;
  /** What the env file says, for a child of a process that may not read it any more; empty without one. */
  variables: Environment;
  dataDir: string;
  /** Every place where a config file was looked for, in order. */
  searched: string[];
}

/** A text file, or what went wrong when it was read. */
export type FileText = { text: string } | { missing: true } | { failure: string };

/** Reads a text file; a file that does not exist is no failure. */
export function readText(path: string): FileText {
  try {
    return { text: readFileSync(path, 'utf8') };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    if (code === 'ENOENT' || code === 'ENOTDIR') return { missing: true };
    return { failure: code };
  }
}

/** Takes away the one line feed that editors and `echo` put at the end of a file. */
export function withoutFinalLineFeed(text: string): string {
  return text.replace(/\r?\n$/, '');
}

/** Variables of a run, with those of a file. */
export interface GivenVariables {
  readonly env: Environment;
  /** The file; null without one. */
  readonly path: string | null;
  readonly variables: Environment;
}

/**
 * Fills variables that the environment does not set from the file named by --env-file or APPCTL_ENV_FILE.
 * A `.env` in the current directory is read only when it is named.
 */
export function readEnvFile(input: Required<ConfigInput>, problems: ConfigProblem[]): GivenVariables {
  const flag = input.flags[sourceFlags.envFile];
  const named = typeof flag === 'string' ? flag : input.env[sourceVariables.envFile];
  if (named === undefined || named === '') return { env: input.env, path: null, variables: {} };
  const path = resolve(input.cwd, named);
  const file = readText(path);
  if (!('text' in file)) {
    const message = `the env file ${path} ${'failure' in file ? `cannot be read (${file.failure})` : 'does not exist'}`;
    problems.push({ key: sourceFlags.envFile, message, hint: 'choose a file of NAME=value lines' });
    return { env: input.env, path, variables: {} };
  }
  return filled(input.env, path, file.text, problems);
}

function filled(env: Environment, path: string, text: string, problems: ConfigProblem[]): GivenVariables {
  const stray = strayLine(text);
  // What the line says stays out of the message: it may be a password.
  if (stray !== null) {
    const hint = 'write it as NAME=value, or begin it with # if it is a comment';
    problems.push({ key: path, message: `line ${stray} has no "="`, hint });
  }
  const variables = parseEnv(text);
  return { env: { ...variables, ...definedOnly(env) }, path, variables };
}

/** Where the service of a machine has its variables: beside its configuration, `/etc/NAME/appctl.toml`. Null for another file. */
export function variablesBeside(config: string | null): string | null {
  if (config === null || basename(config) !== 'appctl.toml' || dirname(dirname(config)) !== '/etc')
    return null;
  return join(dirname(config), 'appctl.env');
}

/**
 * Fills variables from the file of a service, so that a command works on what the service does (decision 0135).
 *
 * @param path of `variablesBeside`; a file that is not there, or that is open to root alone, changes nothing
 */
export function readServiceVariables(
  env: Environment,
  path: string | null,
  problems: ConfigProblem[],
): GivenVariables {
  const file = path === null ? null : readText(path);
  if (path === null || file === null || !('text' in file)) return { env, path: null, variables: {} };
  return filled(env, path, file.text, problems);
}

function definedOnly(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
}

/** Returns the first directory of a systemd list such as $STATE_DIRECTORY. */
export function firstDirectory(list: string | undefined): string | undefined {
  const [first] = (list ?? '').split(':');
  return first === '' ? undefined : first;
}

/**
 * Finds the config file: the one that is named, else the first that exists of ./appctl.toml,
 * {data_dir}/appctl.toml, $XDG_CONFIG_HOME/appctl/appctl.toml and /etc/appctl/appctl.toml.
 * @returns its path, text and every place looked at
 */
export function findConfigFile(
  input: Required<ConfigInput>,
  dataDir: string,
  problems: ConfigProblem[],
): { path: string | null; text: string; searched: string[] } {
  const flag = input.flags[sourceFlags.configFile];
  const named = typeof flag === 'string' ? flag : namedByVariable(input, problems);
  const searched = named === undefined ? usualPlaces(input, dataDir) : [resolve(input.cwd, named)];
  for (const path of searched) {
    const file = readText(path);
    if ('text' in file) return { path, text: file.text, searched };
    if ('failure' in file) {
      problems.push(unreadable(path, file.failure, named === undefined ? dataDir : null));
      return { path: null, text: '', searched };
    }
  }
  if (named !== undefined) {
    const hint = 'create one with appctl config init --out FILE';
    problems.push({ key: sourceFlags.configFile, message: `the file ${searched[0]} does not exist`, hint });
  }
  return { path: null, text: '', searched };
}

/** A folder that is closed to others belongs to whoever runs the server: it is not opened to everybody. */
function unreadable(path: string, code: string, dataDir: string | null): ConfigProblem {
  const owner = dataDir !== null && dirname(path) === resolve(dataDir) ? ownerOf(dataDir) : null;
  if (owner !== null) {
    const message = `the data directory ${dataDir} belongs to another user (uid ${owner})`;
    const hint = 'run it as that user, for example with sudo -u, or choose another directory with --data-dir';
    return { key: 'data_dir', message, hint };
  }
  const isFolder = code === 'EISDIR';
  const message = isFolder ? `${path} is a directory` : `${path} cannot be read (${code})`;
  const hint = isFolder
    ? 'choose a file inside it'
    : 'run it as a user who can read it, or choose another file with --config';
  return { key: sourceFlags.configFile, message, hint };
}

function ownerOf(folder: string): number | null {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found === undefined || found.uid === process.getuid?.() ? null : found.uid;
}

function namedByVariable(input: Required<ConfigInput>, problems: ConfigProblem[]): string | undefined {
  const name = sourceVariables.configFile;
  const direct = input.env[name];
  if (direct !== undefined && direct !== '') return direct;
  const indirect = input.env[`${name}_FILE`];
  if (indirect === undefined || indirect === '') return undefined;
  const file = readText(resolve(input.cwd, indirect));
  const path = 'text' in file ? withoutFinalLineFeed(file.text) : '';
  if (path !== '' && !path.includes('\n')) return path;
  const hint = `write the path of the config file into ${name} itself`;
  problems.push({ key: `${name}_FILE`, message: 'does not name a file that contains one path', hint });
  return undefined;
}

function usualPlaces(input: Required<ConfigInput>, dataDir: string): string[] {
  const home = input.env.HOME ?? homeFolder();
  const configHome = input.env.XDG_CONFIG_HOME || join(home, '.config');
  const folders = [input.cwd, dataDir, join(configHome, 'appctl'), '/etc/appctl'];
  return [...new Set(folders.map((folder) => resolve(folder, 'appctl.toml')))];
}

const QUOTES = ['"', "'", '`'];

/**
 * The first line of an env file that sets nothing and is no comment, which `parseEnv` of Node leaves out without a word.
 * A value in quotes may have several lines. Systemd reads such files too: there `;` begins a comment, and a backslash at
 * the end of a line goes on in the next one.
 *
 * @returns its number from 1; null when there is none
 */
function strayLine(text: string): number | null {
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').trim();
    if (line === '' || /^[#;]/.test(line)) continue;
    const [, value] = /^[^=]*=\s*(.*)$/.exec(line) ?? [];
    if (value === undefined) return at + 1;
    at = lastLineOf(lines, at, value);
  }
  return null;
}

/** Where a value ends. A quote that nothing closes is a part of the value. */
function lastLineOf(lines: readonly string[], first: number, value: string): number {
  const [quote = ''] = value;
  if (QUOTES.includes(quote)) {
    if (value.includes(quote, 1)) return first;
    const end = lines.findIndex((line, at) => at > first && line.includes(quote));
    if (end >= 0) return end;
  }
  let last = first;
  while (last < lines.length - 1 && /\\\r?$/.test(lines[last] ?? '')) last += 1;
  return last;
}
