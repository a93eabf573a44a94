import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import type { MailSpec } from '#kernel/mail.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { isMailAddress } from '../address.ts';
import { templateOfHtml } from '../html-template.ts';
import { mailsAbout } from '../queries.ts';
import { queueMail } from '../queue.ts';
import { ids } from '../record.ts';
import { type Recipient, type Rendered, render } from '../render.ts';
import type { Stored } from '../repository.ts';
import type { Values } from '../template.ts';
import { openValues } from '../values.ts';
import { placeFaults } from './placeholders.ts';
import { type EditedTemplate, tidy, type Words } from './templates.ts';

/** A mail as it would be, and what is to be said about its words. */
export interface Previewed extends Rendered {
  readonly unknown: readonly string[];
  readonly missing: readonly string[];
}

/** With what a mail is filled. */
interface Filling {
  readonly to: Recipient;
  readonly values: Values;
}

const SAMPLE_READER: Recipient = { address: 'ann@example.com', name: 'Ann Miller' };

/** Opens a page without signing in: a preview shows the one of the sample. */
const isLink = (name: string): boolean => name.endsWith('_url');

/**
 * Renders a mail with its sample, or with what the mails of an order said of it: whatever they did not say keeps its
 * sample. Nothing is sent.
 *
 * @param words in place of those in force
 * @param aboutId id of an order about which mails were written; whoever previews must be allowed to read orders
 * @throws AppError VALIDATION_ERROR for words that could not be saved, and for an order about which no mail was written;
 *   AUTH_FORBIDDEN
 */
export async function preview(
  ctx: Ctx,
  { mail, locale, ...inForce }: EditedTemplate,
  { words, aboutId }: { readonly words?: Partial<Words> | undefined; readonly aboutId?: string | undefined },
): Promise<Previewed> {
  const { subject, html, text } = inForce;
  const { subject: line, bodyHtml, bodyText } = await tidy(mail, { subject, html, text, ...words });
  const filling = aboutId === undefined ? sampleOf(mail) : await fillingOf(ctx, mail, aboutId);
  const template = templateOfHtml(line, bodyHtml, bodyText);
  const rendered = await render(ctx, { template: mail.key, locale, ...filling, words: template });
  return { ...rendered, ...placeFaults(mail, { subject: line, html: bodyHtml, text: bodyText }) };
}

const sampleOf = ({ sample }: MailSpec): Filling => ({ to: SAMPLE_READER, values: sample });

function requireOrders({ actor }: Ctx): void {
  if (!allows(actor, 'orders:read'))
    throw new AppError(
      'AUTH_FORBIDDEN',
      403,
      'Previewing an order in an email needs the permission orders:read',
    );
}

async function fillingOf(ctx: Ctx, mail: MailSpec, aboutId: string): Promise<Filling> {
  requireOrders(ctx);
  // What is secret in a mail is for its reader: a code, or a link that lets in.
  const all = (await mailsAbout(ctx, aboutId)).filter(
    ({ email }) => email.relatedType === 'order' && !email.isSecret,
  );
  const isSame = ({ email }: Stored): boolean => email.template === mail.key;
  // Of two that say the same, the one of this very template counts, then the newer one.
  const [best, ...others] = [...all.filter(isSame), ...all.filter((one) => !isSame(one))];
  if (!best)
    throw invalidField(
      'order_id',
      'is not the ID of an order with an email; leave it out to use sample data',
    );
  const values: Record<string, string> = { ...mail.sample };
  for (const { email, valuesEnc } of [best, ...others].reverse()) {
    const said = valuesEnc === null ? {} : openValues(ctx, email.id, valuesEnc);
    if (typeof said === 'string') continue;
    for (const [name, value] of Object.entries(said))
      if (Object.hasOwn(values, name) && !isLink(name)) values[name] = value;
  }
  return { to: { address: best.email.to, name: best.email.toName }, values };
}

/**
 * Sends a mail with its sample to an address, by the queue, in the words in force.
 *
 * @returns id of the mail
 * @throws AppError VALIDATION_ERROR for an address that mail cannot be sent to
 */
export async function sendSample(
  ctx: Ctx,
  { mail, locale }: Pick<EditedTemplate, 'mail' | 'locale'>,
  to: string,
): Promise<string> {
  if (!isMailAddress(to)) throw invalidField('to', 'must be an email address, such as ann@example.com');
  const id = await ctx.tx((ctx) =>
    queueMail(
      ctx,
      { ...mail, isNeeded: true },
      {
        to: { address: to, name: SAMPLE_READER.name },
        locale,
        values: mail.sample,
        dedupe: `sample:${ctx.newId(ids.email)}`,
        related: { type: 'email_template', id: mail.key },
      },
    ),
  );
  return id as string;
}
