import { decodeBase64, decodeHex, keyIdOf, PUBLIC_KEY_BYTES } from '#kernel/ed25519.ts';
import { readSmallFile } from '#signing/keys/key-file.ts';
import { decideVerification } from '#signing/releases/bundle-verification.ts';
import { parseRecord } from '#signing/releases/signature-file.ts';
import type { SignatureRecord } from '#signing/releases/signature-form.ts';
import { readStatement } from '#signing/releases/statement.ts';
import { card } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';

/** `appctl release inspect FILE.sig.json`: ends with 6 when the file does not agree with itself. */
export async function inspectSignature(cli: Cli): Promise<number> {
  const path = cli.argument('file');
  const text = await readSmallFile(path);
  if (text === null) throw usageError(`file ${path} was not found`);
  const record = parseRecord(text);
  if (record === null) {
    throw usageError(
      `${path} is not a signature file of appctl`,
      'appctl release sign FILE --key KEY writes one',
    );
  }
  const agrees = agreesWithItself(record);
  await cli.out.value({ ...record, signatureFile: path }, card(linesOf(record, agrees)));
  if (agrees) return exits.done;
  cli.warn('the signature in the file does not match its key and content');
  return exits.verificationFailed;
}

function agreesWithItself(record: SignatureRecord): boolean {
  try {
    const publicKey = decodeBase64(record.publicKey, PUBLIC_KEY_BYTES);
    const digest = { size: record.size, sha256: decodeHex(record.sha256, 32) };
    const found = { signature: decodeBase64(record.signature, 64), claims: record };
    return (
      keyIdOf(publicKey) === record.keyId &&
      decideVerification({ digest, expected: null, found, publicKey }) === null
    );
  } catch {
    return false;
  }
}

function linesOf(record: SignatureRecord, agrees: boolean): [string, unknown][] {
  const { extra = {} } = record;
  return [
    ['file', record.file],
    ['size', record.size],
    ['sha256', record.sha256],
    ['key id', record.keyId],
    ['signed', record.signedAt],
    ['comment', record.comment],
    ['also for', Object.keys(extra).join(', ') || null],
    ...statementLines(record),
    ['signature', agrees ? 'valid, by the key in the file' : 'NOT VALID'],
  ];
}

function statementLines({ statement }: SignatureRecord): [string, unknown][] {
  const said = statement === undefined ? null : readStatement(statement);
  if (said === null) return [['statement', statement === undefined ? 'none' : 'not readable']];
  return [
    ['product', said.product],
    ['version', said.version],
    ['channel', said.channel],
    ['platform', said.platform || 'any'],
    ['processor', said.arch || 'any'],
    ['sequence', said.sequence],
    ['critical', said.isCritical ? 'yes' : null],
    ['migration', said.requiresMigration ? 'yes' : null],
    ['from version', said.minFromVersion],
    ['expires', said.expiresAt],
  ];
}
