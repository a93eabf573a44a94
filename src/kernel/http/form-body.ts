import { readPlain, UnreadableBody, withDeadline } from './body.ts';
import type { Exchange } from './exchange.ts';
import { CSRF_FIELD, type FormFields, parseForm } from './form-fields.ts';
import { readMultipart, type SentForm } from './form-multipart.ts';
import type { Page } from './page.ts';
import type { Visitor } from './visitor.ts';

/** Largest form without its files, in bytes. */
const FORM_BYTES = 65_536;

/**
 * Reads the form of a page and judges its token (reliability M16), where it needs one: of a form with files before any of
 * them is written.
 *
 * @returns its fields by name; files are to be discarded when they were not kept
 * @throws UnreadableBody for another content type, for what is no form, and for one that is too large (413); what the
 *   visitor throws for a foreign or missing token
 */
export async function readForm(exchange: Exchange, page: Page, sender: Visitor): Promise<SentForm> {
  const visitor = page.isProvenByAddress ? { ...sender, requireCsrf: () => undefined } : sender;
  const { req } = exchange;
  const bounds = { maxBytes: page.formBytes ?? FORM_BYTES, files: page.files ?? {} };
  const type = requireForm(req.headers['content-type']);
  if ((req.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw new UnreadableBody('Content-Encoding is not supported for forms');
  const presented = req.headers['x-csrf-token'] as string | undefined;
  if (type === 'multipart/form-data') return await readMultipart(exchange, bounds, visitor, presented);
  if (Number(req.headers['content-length']) > bounds.maxBytes)
    throw new UnreadableBody(`the form is larger than ${bounds.maxBytes} bytes`, 413);
  const fields = parseForm(await withDeadline(req, readPlain(req, bounds.maxBytes)), page.formFields);
  visitor.requireCsrf(presented ?? fields.get(CSRF_FIELD)?.[0]);
  return { fields, files: {} };
}

/**
 * The fields of a form that nobody may send, to be shown again after a sign-in.
 *
 * @returns null for a form with files, and for what is no form
 */
export async function readFields({ req }: Exchange, page: Page): Promise<FormFields | null> {
  const maxBytes = page.formBytes ?? FORM_BYTES;
  const isPlain = (req.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
  if (!isPlain || Number(req.headers['content-length']) > maxBytes) return null;
  try {
    return parseForm(await withDeadline(req, readPlain(req, maxBytes)), page.formFields);
  } catch (error) {
    if (error instanceof UnreadableBody) return null;
    throw error;
  }
}

function requireForm(contentType: string | undefined): string {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='));
  if (type.trim() !== 'application/x-www-form-urlencoded' && type.trim() !== 'multipart/form-data')
    throw new UnreadableBody('Content-Type must be application/x-www-form-urlencoded or multipart/form-data');
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))
    throw new UnreadableBody('the form must be UTF-8');
  return type.trim();
}
