import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '../environment.ts';
import { type ConfigProblem, InvalidValue } from './errors.ts';
import { type Kind, kinds } from './kinds.ts';
import { originOf } from './listen.ts';
import { type ConfigFlags, firstDirectory, readText, withoutFinalLineFeed } from './sources.ts';
import { storageFolder } from './storage-url.ts';
import type { ConfigKeyName, ConfigValue, KnownKey } from './table.ts';

export type ConfigSource = 'flag' | 'env' | 'env_file' | 'file' | 'default';

/** What `config show` prints of a key: its value in written form and where that came from. */
export interface ConfigEntry {
  value: string | number | boolean | null;
  source: ConfigSource;
  /** Flag, variable, path of the config file, or `default`. */
  name: string;
}

interface Found {
  text: string;
  source: ConfigSource;
  name: string;
}

/** Everything a key can be read from. */
export interface Layers {
  flags: ConfigFlags;
  env: Environment;
  file: { path: string | null; values: ReadonlyMap<string, string> };
  cwd: string;
}

/** Parsed values by key; `get` knows the type of each. */
export interface ConfigValues {
  get<K extends ConfigKeyName>(key: K): ConfigValue<K>;
}

/** Kinds of values that may be written in the file as the defaults are: `{data_dir}/media`. */
const PLACES: ReadonlySet<string> = new Set(['path', 'databaseUrl', 'storageUrl', 'mailUrl', 'backupPlace']);

/** Resolves keys one after the other and keeps what it found, so that a later default can build on it. */
export class Resolver implements ConfigValues {
  readonly #values = new Map<string, unknown>();
  readonly entries: Record<string, ConfigEntry> = {};
  readonly problems: ConfigProblem[];
  readonly warnings: ConfigProblem[];
  readonly #layers: Layers;

  constructor(layers: Layers, problems: ConfigProblem[], warnings: ConfigProblem[]) {
    this.#layers = layers;
    this.problems = problems;
    this.warnings = warnings;
  }

  get<K extends ConfigKeyName>(key: K): ConfigValue<K> {
    return this.#values.get(key) as ConfigValue<K>;
  }

  /** Resolves one key: flag > variable > file named by `_FILE` > config file > default. */
  resolve(row: KnownKey): void {
    const kind = kinds[row.kind] as Kind<unknown>;
    const found = this.#search(row, kind) ?? this.#fallback(row);
    this.entries[row.key] = {
      value: null,
      source: found?.source ?? 'default',
      name: found?.name ?? 'default',
    };
    if (found === undefined) return;
    try {
      refuseControlCharacters(found.text);
      const value = kind.parse(kind.emptyCounts ? found.text : found.text.trim(), this.#layers.cwd);
      this.#values.set(row.key, value);
      this.entries[row.key]!.value = (kind.show?.(value) ?? value) as string;
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      // A default is wrong only where it is built on a key that has been reported already.
      if (found.name === 'default' && this.problems.length > 0) return;
      // A value that is a secret must not come back in a message.
      const message = row.secret === undefined ? error.message : 'has a value that is not accepted';
      this.problems.push({ key: row.key, message: `${message} (${found.name})`, hint: error.hint });
    }
  }

  #search(row: KnownKey, kind: Kind<unknown>): Found | undefined {
    const isSet = (text: string | undefined): text is string =>
      text !== undefined && (kind.emptyCounts === true || text.trim() !== '');
    return (
      this.#fromFlag(row) ??
      this.#fromVariable(row, isSet) ??
      this.#fromCredential(row) ??
      this.#fromConfigFile(row, isSet)
    );
  }

  #fromFlag(row: KnownKey): Found | undefined {
    for (const form of row.flags ?? []) {
      const given = this.#layers.flags[form.name];
      if (given === undefined) continue;
      if (form.readsFile && given !== true) {
        this.#warnExposed(row, resolve(this.#layers.cwd, given));
        return this.#content(row, given, 'flag', form.name);
      }
      return { text: given === true ? (form.value ?? 'true') : given, source: 'flag', name: form.name };
    }
    return undefined;
  }

  #fromVariable(row: KnownKey, isSet: (text: string | undefined) => text is string): Found | undefined {
    const { text, name } = this.#variable(row, isSet);
    const fileName = `${row.env}_FILE`;
    const path = this.#layers.env[fileName];
    const hasFile = path !== undefined && path !== '';
    if (isSet(text)) {
      if (hasFile) this.#warnBoth(name, fileName);
      return { text, source: 'env', name };
    }
    return hasFile ? this.#content(row, path, 'env_file', fileName) : undefined;
  }

  /** The variable of a key, or the one of its other name. */
  #variable(row: KnownKey, isSet: (text: string | undefined) => text is string) {
    const own = { text: this.#layers.env[row.env], name: row.env };
    if (row.alias === undefined) return own;
    const other = { text: this.#layers.env[row.alias], name: row.alias };
    if (!isSet(other.text)) return own;
    if (!isSet(own.text)) return other;
    this.#warnBoth(own.name, other.name);
    return own;
  }

  /** systemd hands the master key over as a credential file (cli.md section 8). */
  #fromCredential(row: KnownKey): Found | undefined {
    const folder = this.#layers.env.CREDENTIALS_DIRECTORY;
    if (row.key !== 'secret.master_key' || folder === undefined || folder === '') return undefined;
    const file = readText(join(folder, 'master-key'));
    if ('missing' in file) return undefined;
    return this.#content(row, join(folder, 'master-key'), 'env_file', 'CREDENTIALS_DIRECTORY');
  }

  #fromConfigFile(row: KnownKey, isSet: (text: string | undefined) => text is string): Found | undefined {
    const { path, values } = this.#layers.file;
    if (path === null) return undefined;
    const text = values.get(row.key);
    const contentPath = values.get(`${row.key}_file`);
    if (isSet(text)) {
      if (contentPath !== undefined) this.#warnBoth(row.key, `${row.key}_file`);
      const isPlace = PLACES.has(row.kind);
      return { text: isPlace ? this.#fill(text) : text, source: 'file', name: path };
    }
    return contentPath === undefined ? undefined : this.#content(row, contentPath, 'file', path);
  }

  /** Not refused: what Docker and Kubernetes mount for one program alone, others may read, too (M12). */
  #warnExposed({ key }: KnownKey, path: string): void {
    const info = statSync(path, { throwIfNoEntry: false });
    if (process.platform === 'win32' || !info?.isFile() || (info.mode & 0o077) === 0) return;
    const mode = (info.mode & 0o777).toString(8).padStart(4, '0');
    this.warnings.push({
      key,
      message: `${path} is open to other users (mode ${mode})`,
      hint: `run chmod 600 ${path}`,
    });
  }

  #warnBoth(winner: string, loser: string): void {
    this.warnings.push({
      key: winner,
      message: `overrides ${loser}; both are set`,
      hint: `remove ${loser}`,
    });
  }

  #content(row: KnownKey, path: string, source: ConfigSource, name: string): Found | undefined {
    const full = resolve(this.#layers.cwd, path);
    const file = readText(full);
    if ('text' in file) {
      // Editors end files with blank lines; of a passphrase only the last line feed is not meant.
      const text = row.kind === 'passphrase' ? withoutFinalLineFeed(file.text) : file.text.trim();
      return { text, source, name };
    }
    const reason = 'failure' in file ? `cannot be read (${file.failure})` : 'does not exist';
    this.problems.push({
      key: row.key,
      message: `the file ${full} ${reason} (${name})`,
      hint:
        'failure' in file && file.failure === 'EACCES'
          ? 'run the command with sudo, or choose a file that this user can read'
          : 'choose a readable file',
    });
    return undefined;
  }

  #fallback(row: KnownKey): Found | undefined {
    const stateDirectory = firstDirectory(this.#layers.env.STATE_DIRECTORY);
    if (row.key === 'data_dir' && stateDirectory !== undefined) {
      return { text: stateDirectory, source: 'default', name: 'STATE_DIRECTORY' };
    }
    if (row.default === null) return undefined;
    return { text: this.#fill(row.default), source: 'default', name: 'default' };
  }

  #fill(text: string): string {
    const scheme = this.get('tls.cert') === undefined && !this.get('tls.acme') ? 'http' : 'https';
    return text
      .replace('{storage_dir}', () => storageFolder(this.get('storage.url')) ?? '{data_dir}')
      .replace('{data_dir}', () => this.get('data_dir') ?? '')
      .replace('{origin}', () => originOf(this.get('listen')?.[0], scheme));
  }
}

/**
 * A line feed inside a value is a mistake of quoting or somebody's attempt to add a line: URL parsers drop it without a
 * word, and paths and headers take it in.
 *
 * @throws InvalidValue naming the character, never the value
 */
function refuseControlCharacters(text: string): void {
  const found = /\p{Cc}/u.exec(text)?.[0];
  if (found === undefined) return;
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const name = found === '\n' ? 'a line feed' : `the control character U+${code}`;
  throw new InvalidValue(`contains ${name}`, 'write the value on one line, without control characters');
}
