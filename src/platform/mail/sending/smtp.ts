import { visibleLine } from '#kernel/visible-text.ts';
import { composed, type Message, type Outcome } from './message.ts';
import type { Sender, SmtpServer } from './route.ts';

/** An attempt ends within this by itself, before another process may take its entry of the outbox (M6). */
export const ATTEMPT_MS = 25_000;
const CONNECT_MS = 10_000;
const MOST_ERROR = 500;

/** Certificates are checked, and what asks for encryption is never sent without (reliability M28). */
async function transportTo({ host, port, secure, user, password }: SmtpServer) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    host,
    port,
    secure: secure === 'tls',
    requireTLS: secure === 'starttls',
    ignoreTLS: secure === 'none',
    ...(user !== null && { auth: { user, pass: password ?? '' } }),
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ATTEMPT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Sends one mail over a connection of its own. It does not throw for what the server does. */
export async function sendBySmtp(server: SmtpServer, sender: Sender, message: Message): Promise<Outcome> {
  const transport = await transportTo(server);
  try {
    const signal = AbortSignal.timeout(ATTEMPT_MS);
    const info = await transport.sendMail({ ...composed(message, sender), signal });
    return { sent: true, response: visibleLine(info.response).slice(0, MOST_ERROR) };
  } catch (error) {
    return { sent: false, isFinal: isFinal(error), isGone: isGone(error), error: inWords(error, server) };
  } finally {
    transport.close();
  }
}

/** Whether the server can be reached and takes the password. @returns why not; null when it does */
export async function faultOf(server: SmtpServer): Promise<string | null> {
  const transport = await transportTo(server);
  try {
    await transport.verify();
    return null;
  } catch (error) {
    return inWords(error, server);
  } finally {
    transport.close();
  }
}

interface SmtpFailure {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly message: string;
}

/** Commands that are about this one mail; what is refused before them is about the connection, and may be set right. */
const ABOUT_THE_MAIL = new Set(['RCPT TO', 'DATA']);

/** A server that will never take this mail; a wrong password is no reason to lose one. */
function isFinal(error: unknown): boolean {
  const { responseCode = 0, command = '' } = error as SmtpFailure;
  return responseCode >= 500 && responseCode < 600 && ABOUT_THE_MAIL.has(command);
}

/** Answers to RCPT TO that say that the mailbox is none: unknown, moved or of no valid name. */
const GONE = new Set([550, 551, 553, 556]);
/** The same codes, where a server refuses whoever sends: another day, or from another place, it would take the mail. */
const ABOUT_THE_SENDER =
  /relay|spam|block|policy|reputation|authenticat|denied|sender|\brate\b|\b5\.[47]\.\d/i;

function isGone(error: unknown): boolean {
  const { responseCode = 0, command, response = '' } = error as SmtpFailure;
  return command === 'RCPT TO' && GONE.has(responseCode) && !ABOUT_THE_SENDER.test(response);
}

/** What happened, without the password. */
function inWords(error: unknown, { host, port, secure, password }: SmtpServer): string {
  const { code, response, message } = error as SmtpFailure;
  const said = visibleLine(response ?? message).slice(0, MOST_ERROR);
  const shown = password ? said.replaceAll(password, '***') : said;
  const place = `${host}:${port}`;
  if (code === 'EAUTH') return `${place} refused the user name or the password: ${shown}`;
  if (code === 'ETLS') return `${place} could not be used with smtp_secure ${secure}: ${shown}`;
  return response === undefined ? `${place} could not be reached: ${shown}` : `${place} answered: ${shown}`;
}
