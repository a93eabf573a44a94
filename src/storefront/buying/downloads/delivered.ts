import { sizeText } from '#kernel/size-words.ts';
import { escapeHtml } from '#platform/mail/index.ts';
import type { FilesOf, MailBlocks } from '#storefront/contract/extensions.ts';
import { mailWords } from '#storefront/contract/mail-words.ts';
import { liveGrantsOf } from './grants.ts';
import { deliveredFile } from './view.ts';

export const filesOfOrder: FilesOf = async (ctx, orderId) =>
  (await liveGrantsOf(ctx, orderId)).map(deliveredFile);

/**
 * Names the files of an order in its mails, and leads to its page: a link that fetched one would be used up by the first
 * program that looks at the mail.
 */
export const filesInMails: MailBlocks = async (ctx, { id, locale }, { orderUrl }) => {
  const grants = await liveGrantsOf(ctx, id);
  if (grants.length === 0) return {};
  const t = await mailWords(ctx, locale);
  const lines = grants.map(({ fileName, kind, bytes }) =>
    escapeHtml(kind === 'upload' ? `${fileName} (${sizeText(bytes)})` : fileName),
  );
  const link = `<a href="${escapeHtml(orderUrl)}">${escapeHtml(t('download.mail'))}</a>`;
  return { downloads_html: `<p>${[escapeHtml(t('download.title')), ...lines, link].join('<br>')}</p>` };
};
