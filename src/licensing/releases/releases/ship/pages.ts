import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { optional, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, type Shown, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { parseRecord } from '#signing/releases/signature-file.ts';
import { attachBundle } from '../bundle.ts';
import { get } from '../read.ts';
import { attachSignature } from '../signature.ts';

const params = z.strictObject({ id: text({ min: 1, max: 255 }) });
const shared = {
  audience: { staff: 'licensing:write' },
  layout: PANEL,
  help: 'ship-a-release',
  params,
} as const;

/** What a browser says of the release as it saw it. */
const at = z.string().max(40).optional();
const seen = (sent: string | undefined): { ifMatch?: string } =>
  sent === undefined || sent === '' ? {} : { ifMatch: sent };

const addressOf = (id: string): string => `/admin/releases/${encodeURIComponent(id)}`;

async function formOf(ctx: Ctx, id: string, kind: 'bundle' | 'signature'): Promise<Shown> {
  const release = await get(ctx, id);
  return show(
    'licensing/releases/file',
    { kind, path: addressOf(release.id), name: `${release.productSlug} ${release.version}`, ...release },
    { values: { at: release.updatedAt } },
  );
}

/** Receives the bundle of a release with a form; the operation of the admin API takes it alone. */
const bundlePage = page({
  ...shared,
  path: '/admin/releases/{id}/bundle',
  title: 'Upload a bundle',
  form: later(() =>
    z.object({
      at,
      /** As the browser computed it before it sent the file. */
      sha256: optional(
        text({ max: 64, form: { pattern: /^(?:[0-9a-f]{64})?$/, says: '64 hex characters' } }),
      ),
    }),
  ),
  files: { bundle: { maxCount: 1, maxBytes: (ctx) => ctx.uploadLimitBytes } },
  show: (ctx, { params }) => formOf(ctx, params.id, 'bundle'),
  async submit(ctx, { params, form, files }) {
    const [file] = files.bundle ?? [];
    if (!file) throw refuseForm('No file was sent', { bundle: 'Choose the file to upload' });
    const { filename, object } = file;
    if (form.sha256 && form.sha256 !== object.sha256) {
      throw refuseForm('The file changed during upload', {
        bundle: `Your browser computed SHA-256 ${form.sha256}, but ${object.sha256} arrived. Upload the file again.`,
      });
    }
    const { id } = await attachBundle(ctx, params.id, { filename, source: object }, seen(form.at));
    return goTo(`${addressOf(id)}?done=bundle`);
  },
});

/** Far more than a signature with its statement takes. */
const SIGNATURE_FILE_BYTES = 65_536;

/** Takes the signature file that `release sign` wrote on the machine of the release engineer. */
const signaturePage = page({
  ...shared,
  path: '/admin/releases/{id}/signature-file',
  title: 'Upload a signature file',
  form: z.object({ at }),
  files: { signature: { maxCount: 1, maxBytes: () => SIGNATURE_FILE_BYTES, isText: true } },
  show: (ctx, { params }) => formOf(ctx, params.id, 'signature'),
  async submit(ctx, { params, form, files }) {
    const [file] = files.signature ?? [];
    if (!file) throw refuseForm('No file was sent', { signature: 'Choose the .sig.json file' });
    const record = parseRecord(file.text ?? '');
    if (record === null) {
      throw refuseForm('This is not a signature file', {
        signature: `${file.filename} was not written by appctl release sign. Choose the .sig.json file next to the bundle.`,
      });
    }
    const release = await get(ctx, params.id);
    if (release.bundleSha256 !== null && release.bundleSha256 !== record.sha256) {
      throw refuseForm('This signature belongs to another file', {
        signature: `It signs SHA-256 ${record.sha256}, but the uploaded bundle has ${release.bundleSha256}.`,
      });
    }
    const { signature, keyId, statement, statementSignature, extra } = record;
    const { tauri, sparkle } = extra ?? {};
    const signed = {
      signature,
      keyId,
      ...(statement !== undefined && { statement }),
      ...(statementSignature !== undefined && { statementSignature }),
      ...(extra && { extra: { ...(tauri && { tauri }), ...(sparkle && { sparkle }) } }),
    };
    const { id } = await attachSignature(ctx, params.id, signed, seen(form.at));
    return goTo(`${addressOf(id)}?done=signature`);
  },
});

/** Pages of a release that take files, which its screen cannot declare. */
export const releasePages: readonly Page[] = [bundlePage, signaturePage];
