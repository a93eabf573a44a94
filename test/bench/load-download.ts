// Downloads one file over and over, in a process of its own: plain sockets and one buffer, so that it costs little.
import { connect, type Socket } from 'node:net';

/** Handed over on the command line, as JSON. */
export interface DownloadJob {
  url: string;
  headers: Record<string, string>;
  connections: number;
  /** How long downloads are begun; each that was begun is finished. 0 lets every connection fetch the file once. */
  seconds: number;
  /** Bytes of the file. */
  size: number;
}

export interface DownloadResult {
  bytes: number;
  seconds: number;
  /** CPU of the client, in per cent of one core. */
  clientCpuPercent: number;
}

const READ_BYTES = 1_048_576;
const job = JSON.parse(process.argv[2] ?? '') as DownloadJob;
const { hostname, port, pathname, search } = new URL(job.url);
const head = [`GET ${pathname}${search} HTTP/1.1`, 'Host: bench'];
const lines = Object.entries(job.headers).map(([name, value]) => `${name}: ${value}`);
const request = `${[...head, ...lines].join('\r\n')}\r\n\r\n`;
const startedMs = performance.now();

/** Bytes of the body that stand behind the head of an answer. Throws when it is not the whole file. */
function bodyAfterHead(chunk: Buffer): number {
  const end = chunk.indexOf('\r\n\r\n');
  const text = chunk.toString('latin1', 0, end);
  const isWhole = new RegExp(`^content-length: ${job.size}\r?$`, 'im').test(text);
  if (end < 0 || !text.startsWith('HTTP/1.1 200 ') || !isWhole)
    throw new Error(`not the file: ${chunk.toString('latin1', 0, 300)}`);
  return chunk.length - end - 4;
}

/** @returns bytes of the bodies that came over one connection */
function fetchAgainAndAgain(): Promise<number> {
  return new Promise((resolve, reject) => {
    let received = 0;
    let left = 0;
    const ask = (): void => {
      left = -1;
      socket.write(request);
    };
    const take = (chunk: Buffer): void => {
      if (left < 0) left = job.size;
      else {
        left -= chunk.length;
        received += chunk.length;
        return;
      }
      const body = bodyAfterHead(chunk);
      left -= body;
      received += body;
    };
    const callback = (length: number, buffer: Uint8Array): boolean => {
      try {
        take(Buffer.from(buffer.buffer, buffer.byteOffset, length));
      } catch (error) {
        socket.destroy(error as Error);
        return false;
      }
      if (left > 0) return true;
      if (left === 0 && performance.now() - startedMs < job.seconds * 1000) ask();
      else socket.end();
      return true;
    };
    const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback };
    const socket: Socket = connect({ host: hostname, port: Number(port), onread }, ask);
    socket.once('error', reject);
    socket.once('close', () => {
      if (left === 0) resolve(received);
      else reject(new Error(`the connection ended with ${left} bytes to come`));
    });
  });
}

const cpuBefore = process.cpuUsage();
const all = await Promise.all(Array.from({ length: job.connections }, fetchAgainAndAgain));
const seconds = (performance.now() - startedMs) / 1000;
const cpu = process.cpuUsage(cpuBefore);
const result: DownloadResult = {
  bytes: all.reduce((sum, bytes) => sum + bytes, 0),
  seconds,
  clientCpuPercent: ((cpu.user + cpu.system) / 1e6 / seconds) * 100,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
