import { AppError } from '#kernel/errors.ts';
import { looksPrivate } from '#signing/keys/key-encoding.ts';
import { readSmallFile } from '#signing/keys/key-file.ts';
import { inlinePublicKey, parsePublicKeys } from '#signing/keys/public-key-text.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';

const MAX_REPLY_BYTES = 65_536;
const DEFAULT_TIMEOUT_SECONDS = 10;

/**
 * The public keys that `--pubkey` names: FILE, `-`, BASE64, URL or `store:SLUG`.
 *
 * @returns 32 raw bytes each; empty when the source was found but holds no key that may be trusted, which is a
 *   verification that fails and no wrong call
 * @throws CliError 2 for a value that names no source, 9 for a server that does not answer
 */
export async function publicKeysOfFlag(cli: Cli): Promise<readonly Buffer[]> {
  const given = cli.required('pubkey');
  const inline = readable(cli, () => inlinePublicKey(given));
  if (inline !== null) return inline === undefined ? [] : [inline];
  const slug = /^store:(.+)$/.exec(given)?.[1];
  if (slug !== undefined) return (await import('../keys/registry.ts')).registeredKeysOf(cli, slug);
  const text = await keyText(cli, given);
  return readable(cli, () => parsePublicKeys(text)) ?? [];
}

/** Runs a reader; undefined, with the reason on stderr, when what it reads is no key. */
function readable<T>(cli: Cli, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'INVALID_KEY') throw error;
    cli.warn(`--pubkey: ${error.message}`);
    return undefined;
  }
}

async function keyText(cli: Cli, given: string): Promise<string> {
  if (given === '-') return cli.readText('--pubkey', '-');
  if (/^https?:\/\//i.test(given)) return fetchText(cli, given);
  const text = await readSmallFile(given);
  if (text === null)
    throw usageError(`--pubkey: ${given} is not an existing file, an https URL or a base64 public key`);
  if (looksPrivate(text)) {
    const named = given.endsWith('.key') ? `${given.slice(0, -'.key'.length)}.pub` : 'the public key file';
    throw usageError(
      `--pubkey: ${given} is a private key, but the public one is needed`,
      `pass ${named} instead`,
    );
  }
  return text;
}

/** A key that came over an open line proves nothing, so plain http is for this machine only. */
async function fetchText(cli: Cli, given: string): Promise<string> {
  const url = URL.parse(given);
  if (url === null) throw usageError(`--pubkey: '${given}' is not a URL`);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'https:' && !isLocal)
    throw usageError('--pubkey: a public key is only fetched over https');
  const seconds = cli.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  try {
    const reply = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(seconds * 1000) });
    if (reply.ok) return await limitedText(reply);
    throw unreachable(given, `the answer was ${reply.status}`);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw unreachable(given, error instanceof Error ? error.message : String(error));
  }
}

async function limitedText(reply: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.body ?? []) {
    size += chunk.length;
    if (size > MAX_REPLY_BYTES) break;
    chunks.push(chunk);
  }
  return size > MAX_REPLY_BYTES ? '' : Buffer.concat(chunks).toString('utf8');
}

const unreachable = (url: string, reason: string) =>
  new CliError(exits.unreachable, 'UNREACHABLE', `${url} gave no public key: ${reason}`);
