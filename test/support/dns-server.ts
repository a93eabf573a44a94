// A small DNS server on UDP whose answers a test scripts name by name: for look-ups that lie, flip, wait and break.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';

/** What is asked for. Clients ask for A and AAAA one beside the other. */
export type RecordType = 'A' | 'AAAA' | 'TXT' | 'other';

/** One answer. Nothing given: the name exists and has no address. */
export interface DnsAnswer {
  /** IPv4 and IPv6 addresses; each is given to the question that it belongs to. */
  addresses?: readonly string[];
  /** Names that lead from the one asked for to the one that has the addresses. */
  via?: readonly string[];
  /** Answers of the type TXT. */
  texts?: readonly string[];
  code?: 'NXDOMAIN' | 'SERVFAIL';
  /** Says that there is more over TCP, where nobody listens. */
  truncated?: true;
  delayMs?: number;
  /** Never answers. */
  silent?: true;
}

/** What a name answers. `n` counts the questions of this type for it, from 0. */
export type DnsBehavior = DnsAnswer | ((n: number, type: RecordType) => DnsAnswer);

export interface DnsServer {
  readonly port: number;
  /** Names that were asked for, in lower case, each question once. */
  readonly asked: readonly { name: string; type: RecordType }[];
  /** Gives a name another behavior from now on and counts its questions anew. */
  script(name: string, behavior: DnsBehavior): void;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<number, RecordType>> = { 1: 'A', 16: 'TXT', 28: 'AAAA' };
const CNAME = 5;
const TXT = 16;
const CODES = { NXDOMAIN: 3, SERVFAIL: 2 } as const;
const HEADER_BYTES = 12;

/**
 * Starts a server. Names without a script do not exist. Answers may not be remembered (TTL 0).
 *
 * @param options.address where it listens; `port` 0 (default) takes a free one
 */
export async function startDnsServer(options: {
  address?: string;
  port?: number;
  names: Readonly<Record<string, DnsBehavior>>;
}): Promise<DnsServer> {
  const { address = '127.0.0.1', port = 0, names } = options;
  const behaviors = new Map(Object.entries(names));
  const counts = new Map<string, number>();
  const asked: { name: string; type: RecordType }[] = [];
  const closing = new AbortController();
  const answerTo = (name: string, type: RecordType): DnsAnswer => {
    const count = counts.get(`${type} ${name}`) ?? 0;
    counts.set(`${type} ${name}`, count + 1);
    const behavior = behaviors.get(name) ?? { code: 'NXDOMAIN' };
    return typeof behavior === 'function' ? behavior(count, type) : behavior;
  };
  const socket = createSocket('udp4', async (message, from) => {
    const question = readQuestion(message);
    asked.push({ name: question.name, type: question.type });
    const answer = answerTo(question.name, question.type);
    if (answer.silent) return;
    // A server that is closed answers nobody.
    if (answer.delayMs) await sleep(answer.delayMs, undefined, { signal: closing.signal }).catch(() => null);
    if (!closing.signal.aborted) socket.send(write(message, question, answer), from.port, from.address);
  });
  socket.bind(port, address);
  await once(socket, 'listening');
  return {
    port: (socket.address() as AddressInfo).port,
    asked,
    script(name, behavior) {
      behaviors.set(name, behavior);
      for (const type of ['A', 'AAAA', 'TXT', 'other']) counts.delete(`${type} ${name}`);
    },
    async close() {
      closing.abort();
      const gone = once(socket, 'close');
      socket.close();
      await gone;
    },
  };
}

interface Question {
  name: string;
  type: RecordType;
  /** Where the question ends in the message. */
  end: number;
}

function readQuestion(message: Buffer): Question {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = TYPES[message.readUInt16BE(at + 1)] ?? 'other';
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 };
}

function write(message: Buffer, { name, type, end }: Question, answer: DnsAnswer): Buffer {
  const records = answer.code || answer.truncated ? [] : recordsOf(name, type, answer);
  const header = Buffer.alloc(HEADER_BYTES);
  message.copy(header, 0, 0, 2);
  const code = answer.code ? CODES[answer.code] : 0;
  // A response with recursion, as asked for and available.
  header.writeUInt16BE(0x8180 | (answer.truncated ? 0x0200 : 0) | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, message.subarray(HEADER_BYTES, end), ...records]);
}

function recordsOf(
  name: string,
  type: RecordType,
  { addresses = [], via = [], texts = [] }: DnsAnswer,
): Buffer[] {
  if (type === 'TXT') return texts.map((text) => record(name, TXT, textBytes(text)));
  const owner = via.at(-1) ?? name;
  const chain = [name, ...via].slice(0, -1).map((from, i) => record(from, CNAME, nameBytes(via[i] ?? '')));
  const own = addresses
    .map((address) => ipaddr.parse(address))
    .filter((address) => (address.kind() === 'ipv4' ? 'A' : 'AAAA') === type)
    .map((address) => record(owner, type === 'A' ? 1 : 28, Buffer.from(address.toByteArray())));
  return [...chain, ...own];
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameBytes(name), fixed, data]);
}

/** In pieces of 255 bytes at most, each after its length. */
function textBytes(text: string): Buffer {
  const pieces = text.match(/.{1,255}/gs) ?? [''];
  return Buffer.concat(pieces.flatMap((piece) => [Buffer.from([piece.length]), Buffer.from(piece)]));
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]);
  return Buffer.concat([...labels, Buffer.from([0])]);
}
