import { headerText } from '../address.ts';
import type { Recipient, Rendered } from '../render.ts';
import type { Sender } from './route.ts';

/** One mail as it leaves: to one mailbox, from the configured address. */
export interface Message extends Rendered {
  readonly id: string;
  readonly to: Recipient;
  /** ISO time of its Date header. */
  readonly at: string;
  /** Where whoever does not want more of its kind says so; null for one that does not advertise. */
  readonly unsubscribeUrl: string | null;
}

/**
 * What came of an attempt. `isFinal`: the server has said that it will never take it; `isGone`: because of the address;
 * `isHeld`: nothing was tried, because of an earlier mail to the same address.
 */
export type Outcome =
  | { readonly sent: true; readonly response: string }
  | {
      readonly sent: false;
      readonly isFinal: boolean;
      readonly error: string;
      readonly isGone?: boolean;
      readonly isHeld?: boolean;
    };

/** Stays the same with every attempt of a run: a receiver that got it twice can tell (reliability M28). */
export const messageIdOf = (id: string, run: number, { address }: Sender): string =>
  `<${id.toLowerCase()}.${run}@${address.slice(address.indexOf('@') + 1)}>`;

/** One press of a button in the mail program ends advertising mails (RFC 8058). */
const unsubscribing = ({ unsubscribeUrl }: Message): Record<string, string> =>
  unsubscribeUrl === null
    ? {}
    : { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };

/**
 * A mail as the library takes it: recipients as objects and an explicit envelope, since it would read several of them
 * in one text (reliability M28). It reads neither files nor addresses.
 */
export const composed = (message: Message, sender: Sender) => ({
  from: { name: headerText(sender.name), address: sender.address },
  to: { name: message.to.name ?? '', address: message.to.address },
  ...(sender.replyTo !== null && { replyTo: { name: '', address: sender.replyTo } }),
  envelope: { from: sender.address, to: [message.to.address] },
  subject: message.subject,
  html: message.html,
  text: message.text,
  messageId: message.id,
  date: new Date(message.at),
  headers: { 'Auto-Submitted': 'auto-generated', ...unsubscribing(message) },
  disableFileAccess: true,
  disableUrlAccess: true,
});
