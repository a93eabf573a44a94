import { escapeHtml } from '#platform/mail/index.ts';
import type { MailBlocks } from '#storefront/contract/extensions.ts';
import { mailWords } from '#storefront/contract/mail-words.ts';
import { licensesForMail } from './delivered.ts';

/**
 * The keys of an order in its mails, as it is sent: nothing of them is stored (fulfilment section 8). Another address than
 * the one that paid reads their beginning, and where the order is.
 */
export const licensesInMails: MailBlocks = async (ctx, order, { orderUrl, to }) => {
  const { licenses, problems } = await licensesForMail(ctx, order, to);
  if (licenses.length === 0 && problems.length === 0) return {};
  const t = await mailWords(ctx, order.locale);
  const text = (key: string, values?: Record<string, string | number>) => escapeHtml(t(key, values));
  const blocks = licenses.map(({ product, key, keyMasked, type, maxActivations }) => {
    const counted = text(type === 'FLOATING' ? 'license.terms_seats' : 'license.terms_machines', {
      number: maxActivations,
    });
    return `<p><b>${escapeHtml(product)}</b><br>${text('license.key')}: <code>${escapeHtml(key ?? keyMasked)}</code><br>${counted}</p>`;
  });
  const missing = problems.length === 0 ? [] : [`<p>${text('license.making')}</p>`];
  const link = `<p><a href="${escapeHtml(orderUrl)}">${text('license.mail_page')}</a></p>`;
  return { licenses_html: [...blocks, ...missing, link].join('') };
};
