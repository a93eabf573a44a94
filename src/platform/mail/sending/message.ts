import { headerText } from '../address.ts';
import type { Recipient, Rendered } from '../render.ts';
import type { Sender } from './route.ts';

/** One mail as it leaves: to one mailbox, from the configured address. */
export interface Message extends Rendered {
  readonly id: string;
  readonly to: Recipient;
  /** ISO time of its Date header. */
  readonly at: string;
}

/** What came of an attempt. `isFinal`: the server has said that it will never take it. */
export type Outcome =
  | { readonly sent: true; readonly response: string }
  | { readonly sent: false; readonly isFinal: boolean; readonly error: string };

/** Stays the same with every attempt of a run: a receiver that got it twice can tell (reliability M28). */
export const messageIdOf = (id: string, run: number, { address }: Sender): string =>
  `<${id.toLowerCase()}.${run}@${address.slice(address.indexOf('@') + 1)}>`;

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
  headers: { 'Auto-Submitted': 'auto-generated' },
  disableFileAccess: true,
  disableUrlAccess: true,
});
