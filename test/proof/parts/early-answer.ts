// A planted fault: something in front of the server acknowledges a write before the server has it.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What clients take for the server. */
export interface Front {
  url: string;
  close(): void;
}

const LATE_MS = 40;

/** Answers record-usage at once and sends it on a little later; passes everything else on as it is. */
export async function startEarlyAnswer(server: string): Promise<Front> {
  const front = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (!req.url?.endsWith('/record-usage')) return forward(server, req, body, res);
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"success":true}');
    await sleep(LATE_MS);
    forward(server, req, body, null);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    close() {
      front.close();
      front.closeAllConnections();
    },
  };
}

function forward(server: string, from: IncomingMessage, body: Buffer, res: ServerResponse | null): void {
  const options = { method: from.method ?? 'GET', headers: from.headers };
  const sent = request(new URL(from.url ?? '/', server), options, (answer) => {
    if (!res) return void answer.resume();
    res.writeHead(answer.statusCode ?? 0, answer.headers);
    answer.pipe(res).on('error', () => res.destroy());
    answer.on('error', () => res.destroy());
  });
  sent.on('error', () => res?.destroy());
  sent.end(body);
}
