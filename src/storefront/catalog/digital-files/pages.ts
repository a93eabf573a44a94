import { createReadStream } from 'node:fs';
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import type { StagedFile } from '#kernel/http/form-files.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { getVariant } from '../products/index.ts';
import {
  addRelease,
  channelsOf,
  listFiles,
  removeFile,
  unknownChannel,
  uploadFile,
} from './digital-files.ts';
import { MOST_DAYS, MOST_DOWNLOADS } from './record.ts';

const pathOf = (id: string): string => `/store/variants/${encodeURIComponent(id)}`;
const field = (max: number) => optional(text({ max, trim: true }));

/** @throws a refused form for what is not a number of the bounds; undefined for an empty field */
function numberOf(name: string, sent: string | undefined, most: number): number | undefined {
  if (!sent) return undefined;
  const number = /^\d{1,7}$/.test(sent) ? Number(sent) : 0;
  if (number < 1 || number > most)
    throw refuseForm('The file was not added', { [name]: `Enter a whole number from 1 to ${most}` });
  return number;
}

async function model(ctx: Ctx, id: string): Promise<Record<string, unknown>> {
  const { sku } = await getVariant(ctx, id);
  const files = (await listFiles(ctx, id)).map((file) => ({
    ...file,
    href: `/api/store/variants/${encodeURIComponent(id)}/files/${file.id}/content`,
  }));
  return { sku, files, back: pathOf(id), action: `${pathOf(id)}/files` };
}

interface Sent {
  readonly name?: string | undefined;
  readonly channel?: string | undefined;
  readonly downloads?: string | undefined;
  readonly days?: string | undefined;
}

async function add(ctx: Ctx, id: string, form: Sent, file: StagedFile | undefined): Promise<void> {
  const terms = {
    name: form.name || undefined,
    maxDownloads: numberOf('downloads', form.downloads, MOST_DOWNLOADS),
    expiresDays: numberOf('days', form.days, MOST_DAYS),
  };
  if (file)
    await uploadFile(ctx, id, { source: createReadStream(file.object.path), fileName: file.filename }, terms);
  else if (form.channel) {
    const known = await channelsOf(ctx);
    if (!known.includes(form.channel))
      throw refuseForm('The file was not added', { channel: `Release channel ${unknownChannel(known)}` });
    await addRelease(ctx, id, { ...terms, releaseChannel: form.channel });
  } else
    throw refuseForm('The file was not added', { file: 'Choose a file, or enter a release channel below' });
}

/** Files of a variant: each can be downloaded and taken away, and one added at a time. */
const filesPage = page({
  path: '/store/variants/{id}/files',
  title: 'Files of a variant',
  audience: { staff: 'products:write' },
  layout: PANEL,
  help: 'sell-files',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: later(() =>
    z.object({
      do: oneOf(['add', 'remove']),
      remove: field(30),
      name: field(255),
      channel: field(100),
      downloads: field(20),
      days: field(20),
    }),
  ),
  files: { file: { maxCount: 1, maxBytes: (ctx) => ctx.uploadLimitBytes } },
  show: async (ctx, { params: { id } }) => show('store/digital-files', await model(ctx, id)),
  async submit(ctx, { params: { id }, form, files }) {
    if (form.do === 'remove') await removeFile(ctx, id, form.remove ?? '');
    else await add(ctx, id, form, files.file?.[0]);
    return goTo(`${pathOf(id)}/files`);
  },
});

/** Pages of digital files. */
export const digitalFilePages: readonly Page[] = [filesPage];
