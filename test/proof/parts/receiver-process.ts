// The inside of a receiver: see receiver.ts. It tells its address over the channel to its parent and answers questions
// there; it ends when the channel does.
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, randomFrom } from './random.ts';
import type { Hook, Question, Received, Reply, Script, Tally } from './receiver.ts';

const SAMPLE_EVERY = 500;
const DRIPS = 5;
const DRIP_MS = 60;
const FLOOD_BYTES = 200_000;

/** An address and how far its script is. */
interface Place extends Hook {
  random: Random;
  arrivals: number;
}

const places = new Map<string, Place>();
let received: Received[] = [];
let open = 0;

const server = createServer((req, res) => {
  open += 1;
  res.once('close', () => {
    open -= 1;
  });
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.once('end', () => void take(req, res, Buffer.concat(chunks)));
  // A request that is cut off before its end was not received.
  req.once('error', () => undefined);
});

async function take(req: IncomingMessage, res: ServerResponse, body: Buffer): Promise<void> {
  const hook = req.url?.split('/').at(-1) ?? '';
  const place = places.get(hook);
  const attempt = Number(headerOf(req, 'x-webhook-attempt'));
  const one: Received = {
    hook,
    id: headerOf(req, 'x-webhook-id'),
    event: headerOf(req, 'x-webhook-event'),
    attempt,
    bodyHash: createHash('sha256').update(body).digest('hex'),
    isSigned: place !== undefined && headerOf(req, 'x-webhook-signature') === signatureOf(place, body),
    oddity: oddityOf(req, body),
    reply: place ? next(place, attempt) : 404,
    atMs: performance.now(),
    endMs: null,
    wasAwaited: false,
    sample: sampleOf(req, body),
  };
  received.push(one);
  const end = (): void => {
    one.endMs ??= performance.now();
  };
  res.once('finish', end).once('close', end);
  if (place && place.delayMs > 0) await sleep(place.random.below(place.delayMs));
  one.wasAwaited = !res.destroyed;
  if (one.wasAwaited) await answer(res, one.reply);
}

function headerOf(req: IncomingMessage, name: string): string {
  const value = req.headers[name];
  return typeof value === 'string' ? value : '';
}

const signatureOf = ({ secret }: Hook, body: Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** The documented form of a request, beside its signature. */
function oddityOf(req: IncomingMessage, body: Buffer): string | null {
  const { event } = readObject(body);
  if (req.method !== 'POST') return `method ${req.method}`;
  if (req.headers['content-type'] !== 'application/json') return `type ${req.headers['content-type']}`;
  if (event === undefined || event !== req.headers['x-webhook-event']) return `event ${String(event)}`;
  if (!/^[^/ ]+\/1\.0$/.test(headerOf(req, 'user-agent'))) return `agent ${req.headers['user-agent']}`;
  if (!/^[123]$/.test(headerOf(req, 'x-webhook-attempt')))
    return `attempt ${req.headers['x-webhook-attempt']}`;
  if (headerOf(req, 'x-webhook-id') === '') return 'no id';
  if (headerOf(req, 'x-webhook-timestamp') === '') return 'no timestamp';
  return null;
}

function readObject(body: Buffer): { event?: unknown } {
  try {
    return JSON.parse(body.toString('utf8')) as { event?: unknown };
  } catch {
    return {};
  }
}

const sampleOf = (req: IncomingMessage, body: Buffer): Received['sample'] =>
  received.length % SAMPLE_EVERY === 0
    ? { body: body.toString('utf8'), signature: headerOf(req, 'x-webhook-signature') }
    : null;

function next(place: Place, attempt: number): Reply {
  const { script } = place;
  place.arrivals += 1;
  if (script.by === 'chance') return drawn(script, place.random);
  const number = script.by === 'attempt' ? attempt : place.arrivals;
  return script.replies[Math.min(number, script.replies.length) - 1] ?? 200;
}

/** What no odds are given for is answered with 200. */
function drawn({ odds }: Extract<Script, { by: 'chance' }>, random: Random): Reply {
  let left = random.below(1000);
  for (const [reply, perMille] of odds) {
    left -= perMille;
    if (left < 0) return reply;
  }
  return 200;
}

async function answer(res: ServerResponse, reply: Reply): Promise<void> {
  if (reply === 'silence') return;
  if (reply === 'reset') return void res.socket?.resetAndDestroy();
  if (reply === 'flood') return void res.writeHead(503).end(Buffer.alloc(FLOOD_BYTES, 'x'));
  if (reply === 'drip') {
    res.writeHead(200);
    for (let i = 0; i < DRIPS; i++) {
      res.write('.');
      await sleep(DRIP_MS);
    }
    return void res.end();
  }
  // Whoever followed would be seen at an address that nobody was given.
  const more: Record<string, string> = reply >= 300 && reply < 400 ? { Location: '/hook/followed' } : {};
  res.writeHead(reply, more).end('{}');
}

const told: { [K in Question['ask']]: (question: Extract<Question, { ask: K }>) => unknown } = {
  hook({ hook }) {
    const seed = hook.script.by === 'chance' ? hook.script.seed : 1;
    places.set(hook.name, { ...hook, random: randomFrom(seed), arrivals: 0 });
    return true;
  },
  received: ({ hook }) => (hook === null ? received : received.filter((one) => one.hook === hook)),
  forget() {
    received = [];
    return true;
  },
  tally: (): Tally => ({
    requests: received.length,
    open,
    firstMs: received[0]?.atMs ?? 0,
    lastMs: received.at(-1)?.atMs ?? 0,
  }),
};

process.on('message', (question: Question) => {
  process.send?.((told[question.ask] as (question: Question) => unknown)(question));
});
process.once('disconnect', () => process.exit(0));
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
