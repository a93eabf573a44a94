import { isIP } from 'node:net';
import type { Ctx } from '#kernel/context.ts';
import * as local from '../local.ts';
import { brandNow, postOffice } from '../post-office.ts';

/** Whom mails come from. */
export interface Sender {
  readonly name: string;
  readonly address: string;
  readonly replyTo: string | null;
}

/** A mail server and how it is spoken to. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly secure: 'none' | 'starttls' | 'tls';
  readonly user: string | null;
  readonly password: string | null;
}

/** Where mails go now. `missing`: what is to be set before any can be sent. */
export type Route =
  | { readonly kind: 'smtp'; readonly server: SmtpServer; readonly sender: Sender }
  | { readonly kind: 'folder'; readonly folder: string; readonly sender: Sender }
  | { readonly kind: 'none'; readonly missing: string };

/** As the settings of this moment say, or the configuration that fixes them. */
export async function routeOf(ctx: Ctx): Promise<Route> {
  const { settings } = ctx;
  const { folder } = postOffice(ctx);
  const host = settings.get(local.smtpHost);
  if (host === null && folder === null) return { kind: 'none', missing: 'no mail server is set up' };
  const brand = await brandNow(ctx);
  const found = settings.get(local.fromAddress) ?? brand.storeEmail;
  // A folder sends to nobody, so that whoever tries the program need not think of an address.
  const address = found ?? (host === null ? 'shop@localhost.test' : null);
  if (address === null) return { kind: 'none', missing: 'no sender address is set (email_from_address)' };
  const name = settings.get(local.fromName) ?? brand.storeName;
  const sender = { name, address, replyTo: settings.get(local.replyTo) };
  if (host === null) return { kind: 'folder', folder: folder as string, sender };
  const server = {
    host,
    port: settings.get(local.smtpPort),
    secure: settings.get(local.smtpSecure),
    user: settings.get(local.smtpUser),
    password: settings.get(local.smtpPassword),
  };
  if (server.secure === 'none' && server.user !== null && !isLoopback(host))
    return {
      kind: 'none',
      missing: 'a password is not sent without encryption: set smtp_secure to starttls or tls',
    };
  return { kind: 'smtp', server, sender };
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** Whether a mail that is written now would be sent: a server is named, or a folder takes them. */
export const isMailSent = async (ctx: Ctx): Promise<boolean> => (await routeOf(ctx)).kind !== 'none';
