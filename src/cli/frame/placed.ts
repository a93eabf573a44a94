import { shellWord } from '../printed-text.ts';
import { globalOptions } from './globals.ts';
import { flagsOf } from './tree.ts';

/** What a line says of where it runs: names of global flags with their values. */
export type Place = ReadonlyMap<string, string>;

/** Puts the flags of a place into the commands of a text. */
export type Placing = (text: string) => string;

/** Without these flags the next command would work on another installation, server or tenant. */
const HERE = ['config', 'env-file', 'data-dir', 'db', 'tenant'];
const THERE = ['server', 'profile', 'api-key-file'];
const options = globalOptions.filter(({ name }) => [...HERE, ...THERE].includes(name));

/** Commands that need no installation, whatever the line before them named. */
export const nowhere: readonly string[] = [
  'completion',
  'docs',
  'help',
  'login',
  'logout',
  'profile',
  'schema',
  'version',
  'whoami',
];

/** Commands that no server runs for another machine; a test holds them equal to the declarations. */
export const localOnly: readonly string[] = [
  'alerts test',
  'backup',
  'config',
  'db',
  'dev',
  'doctor',
  'drain',
  'health',
  'hooks',
  'keys delegate',
  'keys fingerprint',
  'keys master',
  'keys passphrase',
  'logs',
  'migrate',
  'open',
  'release feed',
  'release inspect',
  'release verify',
  'restart',
  'restore',
  'serve',
  'service',
  'setup',
  'status',
  'support',
  'upgrade',
  'webhook events',
  'webhook listen',
];

/** Words that commands begin with: `appctl answered` names the program. A test holds them equal to the declarations. */
export const firstWords: readonly string[] = [
  ...nowhere,
  ...localOnly.flatMap((path) => path.split(' ').slice(0, 1)),
  'abuse',
  'admin',
  'apikey',
  'audit',
  'customer',
  'email',
  'events',
  'export',
  'honeypot',
  'import',
  'integration',
  'jobs',
  'keyformat',
  'license',
  'logout',
  'policy',
  'product',
  'requests',
  'settings',
  'simulate',
  'store',
  'tenant',
  'whoami',
];

/** A command in a text, with the words that name it; not one that says where it runs, or is meant for another machine. */
const COMMAND =
  /(?<!ssh HOST |on the server: |\/)\bappctl (?=([a-z][\w-]*(?: [a-z][\w-]*)*))(?=([^;()\n]*))(?![^;()\n]* --(?:help|server|profile)\b)/g;

/**
 * Reads the flags that say where a line runs, whatever else it holds.
 *
 * @param words as they were typed
 */
export function placeIn(words: readonly string[]): Map<string, string> {
  const given = new Map<string, string>();
  for (const [index, word] of words.entries()) {
    if (word === '--') break;
    const [flag = '', value = words[index + 1]] = word.split(/=(.*)/s, 2);
    const option = options.find((one) => flagsOf(one).includes(flag));
    if (option && value !== undefined) given.set(option.name, value);
  }
  return given;
}

/**
 * Makes commands that are printed work when they are pasted: they carry the flags of the line that prints them, and
 * begin with what leads to this program.
 *
 * @param place of that line
 * @param program what stands for `appctl`
 */
export function placing(place: Place, program: () => string = () => 'appctl'): Placing {
  const flagged = place.size === 0 ? (text: string) => text : withFlags(place);
  return (text) => {
    if (!text.includes('appctl ')) return text;
    const name = program();
    return flagged(text).replaceAll(CALL, (call: string, word: string) =>
      name !== 'appctl' && (word.startsWith('-') || firstWords.includes(word)) ? name : call,
    );
  };
}

/** The name of the program where a command or a flag follows. */
const CALL = /(?<!ssh HOST |on the server: |npx |\/)\bappctl(?= (--?\w+|[a-z][\w-]*))/g;

function withFlags(place: Place): Placing {
  return (text) =>
    text.replaceAll(COMMAND, (start, words: string, line: string) => {
      if (!isNamed(words, firstWords) || isNamed(words, nowhere)) return start;
      const fitting = isNamed(words, localOnly) ? HERE : [...HERE, ...THERE];
      // The tenants are listed for whoever named one that is not there.
      const isOfTenants = isNamed(words, ['tenant']);
      // A command that already carries a flag, as those of setup do, would carry it twice.
      const missing = fitting.filter(
        (name) => !(isOfTenants && name === 'tenant') && !new RegExp(` --${name}(?![\\w-])`).test(line),
      );
      return `${start}${written(place, missing)}`;
    });
}

const isNamed = (words: string, paths: readonly string[]): boolean =>
  paths.some((path) => words === path || words.startsWith(`${path} `));

const written = (place: Place, names: readonly string[]): string =>
  names
    .flatMap((name) => {
      const value = place.get(name);
      // A database's address may hold its password, which belongs on no screen.
      return value === undefined || (name === 'db' && value.includes('@')) ? [] : [[name, value] as const];
    })
    .map(([name, value]) => `--${name} ${shellWord(value)} `)
    .join('');
