// A mail server on the loopback interface, and a worker that sends what waits.
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { Ctx } from '#kernel/context.ts';
import { gather } from '#kernel/gather.ts';
import { createOutboxWorker, type OutboxWorker } from '#kernel/outbox/worker.ts';
import { mailHandler } from '#platform/mail/index.ts';
import { staffMailHandler } from '#platform/staff-mail/index.ts';
import { capabilities } from '../../src/app/capabilities.ts';

/** One mail as it came. */
export type ReceivedMail = {
  envelope: { from: string; to: string[] };
  /** As it was sent, header and body. */
  raw: string;
  /** By name in lower case, unfolded and decoded; of several with one name all, with line breaks between them. */
  headers: Record<string, string>;
  subject: string;
  text: string;
  html: string;
};

export type MailServer = {
  /** For `APPCTL_SMTP_URL`. */
  url: string;
  port: number;
  mails: ReceivedMail[];
  /** Answers to the next mails, in order, with this code and text, in place of taking them. */
  refuse(...codes: number[]): void;
  /** Refuses mails to an address from now on; 0 takes them again. */
  refuseTo(address: string, code: number): void;
  /** Codes that were answered. */
  refused: number[];
  /** Mails of one address. */
  to(address: string): ReceivedMail[];
  /** Takes no connection any more. */
  close(): Promise<void>;
};

/**
 * @param options `port` to come back on the same one; `tls` with certificate and key offers STARTTLS; `user` is asked for
 * @returns a server that takes every mail until it is told otherwise; close it in `afterAll`
 */
export async function openMailServer(
  options: {
    port?: number;
    tls?: { cert: string | Buffer; key: string | Buffer };
    user?: { name: string; password: string };
    /** Waits before it takes a mail. */
    beforeTaking?: () => Promise<void>;
  } = {},
): Promise<MailServer> {
  const refusals: number[] = [];
  const byAddress = new Map<string, number>();
  const refused: number[] = [];
  const mails: ReceivedMail[] = [];
  const failure = (code: number) => {
    refused.push(code);
    return Object.assign(new Error('refused by the test'), { responseCode: code });
  };
  const server = new SMTPServer({
    logger: false,
    authOptional: !options.user,
    disabledCommands: [...(options.tls ? [] : ['STARTTLS']), ...(options.user ? [] : ['AUTH'])],
    allowInsecureAuth: true,
    ...options.tls,
    onAuth(auth, _session, callback) {
      const isRight = auth.username === options.user?.name && auth.password === options.user?.password;
      callback(isRight ? null : failure(535), isRight ? { user: auth.username ?? '' } : undefined);
    },
    onRcptTo({ address }, _session, callback) {
      const code = byAddress.get(address) ?? 0;
      callback(code > 0 ? failure(code) : null);
    },
    onData(stream, session, callback) {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk as Buffer);
        await options.beforeTaking?.();
        const code = refusals.shift();
        if (code !== undefined) return callback(failure(code));
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom ? mailFrom.address : '';
        mails.push(
          received(
            Buffer.concat(chunks).toString('utf8'),
            from,
            rcptTo.map((one) => one.address),
          ),
        );
        callback();
      })();
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}?secure=none`,
    port,
    mails,
    refused,
    refuse: (...codes) => void refusals.push(...codes),
    refuseTo: (address, code) => void byAddress.set(address, code),
    to: (address) => mails.filter(({ envelope }) => envelope.to.includes(address)),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Reads a mail with a text and an HTML part. */
export function parseMail(raw: string): Omit<ReceivedMail, 'envelope' | 'raw'> {
  const lines = raw.replaceAll('\r\n', '\n');
  const end = lines.indexOf('\n\n');
  const headers = headersIn(lines.slice(0, end));
  const parts = partsOf(headers['content-type'] ?? '', headers, lines.slice(end + 2));
  return {
    headers,
    subject: headers.subject ?? '',
    text: parts.get('text/plain') ?? '',
    html: parts.get('text/html') ?? '',
  };
}

const received = (raw: string, from: string, to: string[]): ReceivedMail => ({
  envelope: { from, to },
  raw,
  ...parseMail(raw),
});

function headersIn(head: string): Record<string, string> {
  const all: Record<string, string> = {};
  for (const line of head.replaceAll(/\n[ \t]+/g, ' ').split('\n')) {
    const at = line.indexOf(':');
    const name = line.slice(0, at).toLowerCase();
    const value = decodeWords(line.slice(at + 1).trim());
    all[name] = all[name] === undefined ? value : `${all[name]}\n${value}`;
  }
  return all;
}

/** Words of RFC 2047; a gap between two of them is none of the text. */
const decodeWords = (text: string): string =>
  text
    .replaceAll(/(\?=)\s+(=\?)/g, '$1$2')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_all, how: string, word: string) =>
      how.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : unquoted(word.replaceAll('_', ' ')),
    );

const unquoted = (text: string): string =>
  Buffer.from(
    text
      .replaceAll(/=\n/g, '')
      .replaceAll(/=([0-9A-F]{2})/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  ).toString('utf8');

function partsOf(type: string, headers: Record<string, string>, body: string): Map<string, string> {
  const boundary = /boundary="([^"]+)"/.exec(type)?.[1];
  if (boundary === undefined) {
    const how = (headers['content-transfer-encoding'] ?? '').toLowerCase();
    const text =
      how === 'base64'
        ? Buffer.from(body, 'base64').toString('utf8')
        : how === 'quoted-printable'
          ? unquoted(body)
          : body;
    return new Map([[type.split(';', 1)[0] ?? '', text.trim()]]);
  }
  const parts = body.split(`--${boundary}`).slice(1, -1);
  return new Map(
    parts.flatMap((part) => {
      const end = part.indexOf('\n\n');
      const own = headersIn(part.slice(0, end).trim());
      return [...partsOf(own['content-type'] ?? '', own, part.slice(end + 2))];
    }),
  );
}

/** A worker that sends mails as `serve` does; `idle()` sends what is due. */
export function mailWorker(ctx: Ctx): OutboxWorker {
  const { mails, staffMails } = gather(capabilities);
  return createOutboxWorker({ ctx, handlers: [staffMailHandler(staffMails), mailHandler(mails)] });
}

/** Rows of the log of emails, oldest first. */
export const emailsOf = (ctx: Ctx): Promise<Record<string, unknown>[]> =>
  ctx.db.knex('email_log').orderBy(['created_at', 'id']);
