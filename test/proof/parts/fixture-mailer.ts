// A shop that confirms orders by mail as a proof's counterpart, with one planted fault, which --break names:
// pastes-headers writes what a buyer entered into the head of the mail as it is, reads-lists lets the library find
// addresses in a text, sends-twice sends what was refused once to everybody again, gives-up tries once.
// usage: node fixture-mailer.ts serve --json --listen ADDR --smtp PORT --break FAULT
// The first words are those with which the program is started.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createTransport } from 'nodemailer';
import { SENDER } from './post.ts';

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean' },
    listen: { type: 'string' },
    smtp: { type: 'string' },
    break: { type: 'string', default: '' },
  },
});

const RETRY_MS = 200;
const transport = createTransport({
  host: '127.0.0.1',
  port: Number(values.smtp),
  secure: false,
  ignoreTLS: true,
});
let waiting = 0;

function mailOf(email: string, name: string) {
  const subject = `Your order, ${name}`;
  if (values.break === 'reads-lists')
    return { from: SENDER, to: `${name} <${email}>`, subject, text: 'Thank you.', html: '<p>Thank you.</p>' };
  if (values.break !== 'pastes-headers')
    return {
      from: SENDER,
      to: { name: '', address: email },
      envelope: { from: SENDER, to: [email] },
      subject: 'Your order',
      text: 'Thank you.',
      html: '<p>Thank you.</p>',
      headers: { 'Auto-Submitted': 'auto-generated' },
    };
  const head = [
    `From: ${SENDER}`,
    `To: ${email}`,
    `Subject: ${subject}`,
    `Message-ID: <${randomUUID()}@mail.test>`,
  ];
  return { envelope: { from: SENDER, to: [email] }, raw: `${head.join('\r\n')}\r\n\r\nThank you.\r\n` };
}

async function send(email: string, name: string): Promise<void> {
  waiting += 1;
  let failures = 0;
  for (;;) {
    try {
      await transport.sendMail(mailOf(email, name));
      if (values.break === 'sends-twice' && failures > 0) await transport.sendMail(mailOf(email, name));
      break;
    } catch (error) {
      failures += 1;
      const { responseCode, code } = error as { responseCode?: number; code?: string };
      const isFinal = code === 'EENVELOPE' && (responseCode ?? 500) >= 500;
      if (isFinal || values.break === 'gives-up') break;
      await sleep(RETRY_MS);
    }
  }
  waiting -= 1;
}

const server = createServer(async (req, res) => {
  let text = '';
  for await (const chunk of req) text += chunk;
  const body = text === '' ? {} : JSON.parse(text);
  const isOrder = req.url?.endsWith('/checkout') ?? false;
  const isTaken = !isOrder || (/^[^\s@]+@/.test(body.email) && body.email.length < 100);
  if (isOrder && isTaken) void send(body.email, body.billing_address.name);
  const data = { csrf_token: 'none', waiting, order: { placed_at: 'now' } };
  res.writeHead(isTaken ? 200 : 400, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify(isTaken ? { data } : { error_code: 'VALIDATION_ERROR' }));
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  process.exit(0);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: process.pid })}\n`);
});
