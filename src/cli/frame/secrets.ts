import { resolve } from 'node:path';
import { type FileText, readText, withoutFinalLineFeed } from '#kernel/config/sources.ts';
import { usageError } from './errors.ts';
import { type Io, readAll } from './io.ts';
import type { Prompts } from './prompts.ts';
import type { OptionSpec } from './shape.ts';

type SecretForm = 'file' | 'stdin' | 'env';
const allForms: readonly SecretForm[] = ['file', 'stdin', 'env'];

/** A secret that was read, and where it came from; the empty text is a secret too. */
export interface Secret {
  readonly value: string;
  /** For errors: `empty passphrase from --passphrase-env RELEASE_PASS`. */
  readonly tried: string;
}

/** What a command wants to know. */
export interface SecretQuestion {
  /** How the prompt and errors call it: `owner password`. */
  readonly label: string;
  /** Without flag and terminal the answer is undefined instead of an error; nothing is asked. */
  readonly optional?: boolean;
  /** Asks twice. */
  readonly repeat?: boolean;
}

/**
 * Declares the forms in which a command takes a secret: `--NAME-file PATH`, `--NAME-stdin`, `--NAME-env NAME`.
 * No form takes the secret as its value (cli.md section 1.5). `cli.secret(name, …)` reads it.
 * @param what how help calls it: `the owner's password`
 */
export function secretOptions(
  name: string,
  what: string,
  forms: readonly SecretForm[] = allForms,
): OptionSpec<unknown>[] {
  const texts: Record<SecretForm, Pick<OptionSpec, 'summary' | 'value'>> = {
    file: { value: 'PATH', summary: `file that contains ${what}` },
    stdin: { summary: `read ${what} from stdin` },
    env: { value: 'NAME', summary: `environment variable that contains ${what}` },
  };
  return forms.map((form) => ({
    name: `${name}-${form}`,
    ...texts[form],
    conflicts: forms.filter((other) => other !== form).map((other) => `${name}-${other}`),
  }));
}

/** Where the given form of a secret leads to. */
export interface SecretFlags {
  readonly name: string;
  /** Value of an option of the command, undefined when it was not given. */
  option(name: string): string | undefined;
  flag(name: string): boolean;
  declares(name: string): boolean;
}

/** Reads stdin for one flag at most: a second reader would find it empty. */
export function createStdinReader(io: Io): (flag: string) => Promise<string> {
  let reader: string | undefined;
  return async (flag) => {
    if (reader !== undefined) throw usageError(`${reader} already reads stdin; ${flag} cannot read it too`);
    reader = flag;
    return readAll(io.stdin);
  };
}

/**
 * Reads a secret from the form that was given, else by a hidden prompt.
 * One final line feed is taken away. A given but empty source is the empty secret.
 * @returns undefined only for an optional secret of which no form was given
 * @throws usage error (2) when the file or variable does not exist, or nothing can be asked
 */
export async function readSecret(
  flags: SecretFlags,
  question: SecretQuestion,
  sources: { io: Io; prompts: Prompts; readStdin: (flag: string) => Promise<string> },
): Promise<Secret | undefined> {
  const answer = await readGiven(flags, question, sources);
  if (answer !== undefined) {
    const empty = answer.value === '' ? 'empty ' : '';
    return { value: answer.value, tried: `${empty}${question.label} from ${answer.from}` };
  }
  if (question.optional) return undefined;
  const flag = allForms
    .map((form) => `--${flags.name}-${form}`)
    .find((name) => flags.declares(name.slice(2)));
  const prompt = { flag: flag ?? `--${flags.name}`, message: capitalized(question.label) };
  const value = await sources.prompts.hidden({ ...prompt, repeat: question.repeat ?? false });
  return { value, tried: `${value === '' ? 'empty ' : ''}${question.label} typed at the prompt` };
}

async function readGiven(
  { name, option, flag, declares }: SecretFlags,
  { label }: SecretQuestion,
  { io, prompts, readStdin }: { io: Io; prompts: Prompts; readStdin: (flag: string) => Promise<string> },
): Promise<{ value: string; from: string } | undefined> {
  const given = (form: SecretForm) => (declares(`${name}-${form}`) ? option(`${name}-${form}`) : undefined);
  const path = given('file');
  if (path !== undefined) {
    return { value: withoutFinalLineFeed(textOf(`--${name}-file`, path)), from: `--${name}-file ${path}` };
  }
  const variable = given('env');
  if (variable !== undefined) {
    const value = io.env[variable];
    if (value === undefined) throw usageError(`--${name}-env: the variable ${variable} is not set`);
    return { value, from: `--${name}-env ${variable}` };
  }
  if (!declares(`${name}-stdin`) || !flag(`${name}-stdin`)) return undefined;
  const from = `--${name}-stdin`;
  // Whoever pastes a key ends it with Enter, not with the end of the input.
  if (prompts.possible)
    return { value: await prompts.hidden({ flag: from, message: capitalized(label) }), from };
  return { value: withoutFinalLineFeed(await readStdin(from)), from };
}

/**
 * Reads a text file that a flag or an argument names.
 * @throws usage error (2) that names the flag when it cannot be read
 */
export function textOf(flag: string, path: string): string {
  const file: FileText = readText(resolve(path));
  if ('text' in file) return file.text;
  if ('missing' in file) throw usageError(`${flag}: the file ${path} does not exist`);
  if (file.failure === 'EISDIR')
    throw usageError(`${flag}: ${path} is a directory`, 'choose a file inside it');
  if (file.failure === 'EACCES' || file.failure === 'EPERM')
    throw usageError(
      `${flag}: no permission to read the file ${path}`,
      'run it as a user who can read it, or choose another file',
    );
  throw usageError(`${flag}: the file ${path} cannot be read (${file.failure})`);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
