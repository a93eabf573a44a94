// A certificate authority on loopback (RFC 8555): it checks signatures, nonces and challenges as a real one does, and
// issues certificates by the openssl program.
import { execFileSync } from 'node:child_process';
import {
  createHash,
  createPublicKey,
  type JsonWebKey,
  randomBytes,
  verify,
  X509Certificate,
} from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { makeCertificate } from './certificate.ts';
import { scratchFolder } from './scratch-folder.ts';

export interface AcmeServer {
  readonly directory: string;
  /** File with the root that its own address is signed by: NODE_EXTRA_CA_CERTS. */
  readonly rootFile: string;
  /** Ports on which it looks for the proofs of a name, in place of 80 and 443. */
  readonly ports: { http: number; tls: number };
  /** Challenges that it offers. */
  offers: readonly ('http-01' | 'tls-alpn-01')[];
  /** Days for which certificates are valid. */
  days: number;
  /** Refuses every order with these words. */
  refuses: { status: number; type: string; detail: string } | null;
  /** What was asked: accounts that were opened, orders, ways in which a name was proven. */
  readonly counts: { accounts: number; orders: number; issued: number };
  readonly proofs: string[];
  close(): Promise<void>;
}

interface Account {
  readonly jwk: JsonWebKey;
  readonly contact: unknown;
}

const URN = 'urn:ietf:params:acme:error:';

class Refusal extends Error {
  readonly status: number;
  readonly type: string;

  constructor(status: number, type: string, detail: string) {
    super(detail);
    this.status = status;
    this.type = type;
  }
}

const thumbprint = ({ crv, kty, x, y }: JsonWebKey): string =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');

/** Starts it on a free port. */
export async function startAcmeServer(): Promise<AcmeServer> {
  const folder = scratchFolder('appctl-acme-');
  const own = makeCertificate(['DNS:localhost', 'IP:127.0.0.1']);
  const rootFile = join(folder, 'root.pem');
  writeFileSync(rootFile, own.cert);
  writeFileSync(join(folder, 'root.key'), own.key);
  const nonces = new Set<string>();
  const accounts = new Map<string, Account>();
  const orders = new Map<
    string,
    { name: string; token: string; status: string; pem: string | null; error: object | null }
  >();

  const state: AcmeServer = {
    directory: '',
    rootFile,
    ports: { http: 0, tls: 0 },
    offers: ['http-01', 'tls-alpn-01'],
    days: 90,
    refuses: null,
    counts: { accounts: 0, orders: 0, issued: 0 },
    proofs: [],
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      rmSync(folder, { recursive: true, force: true });
    },
  };

  const orderView = (id: string) => {
    const one = orders.get(id);
    return {
      status: one?.status,
      identifiers: [{ type: 'dns', value: one?.name }],
      authorizations: [`${base()}/authorization/${id}`],
      finalize: `${base()}/finalize/${id}`,
      ...(one?.pem && { certificate: `${base()}/certificate/${id}` }),
    };
  };
  const challengeView = (id: string, type: string) => {
    const one = orders.get(id);
    const isValid = one?.status === 'ready' || one?.status === 'valid';
    return {
      type,
      url: `${base()}/challenge/${id}/${type}`,
      token: one?.token,
      status: one?.error ? 'invalid' : isValid ? 'valid' : 'pending',
      ...(one?.error && { error: one.error }),
    };
  };
  const authorizationView = (id: string) => {
    const one = orders.get(id);
    return {
      identifier: { type: 'dns', value: one?.name },
      status: one?.error ? 'invalid' : one?.status === 'pending' ? 'pending' : 'valid',
      challenges: state.offers.map((type) => challengeView(id, type)),
    };
  };

  /** Looks for the proof of a name where a real authority would. */
  async function look(id: string, type: string, { jwk }: Account): Promise<void> {
    const one = orders.get(id) as NonNullable<ReturnType<typeof orders.get>>;
    const wanted = `${one.token}.${thumbprint(jwk)}`;
    try {
      if (type === 'http-01') await lookByHttp(state.ports.http, one.name, one.token, wanted);
      else await lookByTls(state.ports.tls, one.name, wanted);
      one.status = 'ready';
      state.proofs.push(type);
    } catch (error) {
      one.status = 'invalid';
      one.error = { type: `${URN}connection`, detail: `${one.name}: ${(error as Error).message}` };
    }
  }

  function issue(id: string, csr: string): void {
    const one = orders.get(id) as NonNullable<ReturnType<typeof orders.get>>;
    if (one.status !== 'ready') throw new Refusal(403, 'orderNotReady', 'the order is not ready');
    const [csrFile, certFile] = [join(folder, 'one.csr'), join(folder, 'one.pem')];
    writeFileSync(csrFile, Buffer.from(csr, 'base64url'));
    const words = ['x509', '-req', '-inform', 'DER', '-in', csrFile, '-CA', rootFile];
    const more = [
      '-CAkey',
      join(folder, 'root.key'),
      '-days',
      String(state.days),
      '-copy_extensions',
      'copy',
    ];
    execFileSync('openssl', [...words, ...more, '-out', certFile], { stdio: 'pipe' });
    one.pem = readFileSync(certFile, 'utf8');
    if (!new X509Certificate(one.pem).checkHost(one.name)) throw new Refusal(400, 'badCSR', 'other names');
    one.status = 'valid';
    state.counts.issued += 1;
  }

  function openAccount(jwk: JsonWebKey, payload: Record<string, unknown>): { status: number; url: string } {
    const url = `${base()}/account/${thumbprint(jwk)}`;
    if (accounts.has(url)) return { status: 200, url };
    if (payload.onlyReturnExisting) throw new Refusal(400, 'accountDoesNotExist', 'there is no such account');
    if (payload.termsOfServiceAgreed !== true)
      throw new Refusal(403, 'userActionRequired', 'the terms of service must be agreed to');
    accounts.set(url, { jwk, contact: payload.contact ?? null });
    state.counts.accounts += 1;
    return { status: 201, url };
  }

  function openOrder(payload: Record<string, unknown>): { location: string; body: object } {
    if (state.refuses) throw new Refusal(state.refuses.status, state.refuses.type, state.refuses.detail);
    const [{ value = '' } = {}] = payload.identifiers as { value?: string }[];
    const id = randomBytes(8).toString('hex');
    orders.set(id, {
      name: value,
      token: randomBytes(16).toString('base64url'),
      status: 'pending',
      pem: null,
      error: null,
    });
    return { location: `${base()}/order/${id}`, body: orderView(id) };
  }

  const base = () => state.directory.replace(/\/directory$/, '');

  const server = createServer(own, async (req, res) => {
    const nonce = randomBytes(8).toString('base64url');
    nonces.add(nonce);
    const reply = (status: number, body: unknown, headers: Record<string, string> = {}) => {
      const isText = typeof body === 'string';
      res.writeHead(status, {
        'Replay-Nonce': nonce,
        'Content-Type': isText ? 'application/pem-certificate-chain' : 'application/json',
        ...headers,
      });
      res.end(isText ? body : JSON.stringify(body));
    };
    try {
      const [, word = '', id = '', type = ''] = (req.url ?? '').split('/');
      if (word === 'directory')
        return reply(200, {
          newNonce: `${base()}/nonce`,
          newAccount: `${base()}/new-account`,
          newOrder: `${base()}/new-order`,
          meta: { termsOfService: `${base()}/terms` },
        });
      if (word === 'nonce') return reply(200, {});
      const { account, accountUrl, jwk, payload } = await signed(req);
      if (word === 'new-account') {
        const opened = openAccount(jwk as JsonWebKey, payload);
        return reply(opened.status, { status: 'valid' }, { Location: opened.url });
      }
      if (account === undefined) throw new Refusal(401, 'unauthorized', `unknown account ${accountUrl}`);
      if (word === 'account') return reply(200, { status: 'valid' });
      if (word === 'new-order') {
        state.counts.orders += 1;
        const { location, body } = openOrder(payload);
        return reply(201, body, { Location: location });
      }
      if (word === 'authorization') return reply(200, authorizationView(id));
      if (word === 'challenge') {
        if (orders.get(id)?.status === 'pending') await look(id, type, account);
        return reply(200, challengeView(id, type), { Link: `<${base()}/authorization/${id}>;rel="up"` });
      }
      if (word === 'finalize') issue(id, String(payload.csr));
      if (word === 'certificate') return reply(200, orders.get(id)?.pem ?? '');
      return reply(200, orderView(id), { Location: `${base()}/order/${id}` });
    } catch (error) {
      const { status = 500, type = 'serverInternal', message } = error as Refusal;
      reply(status, { type: `${URN}${type}`, detail: message, status });
    }
  });

  /** The payload of a request that its sender signed, and whose nonce was not used before. */
  async function signed(req: AsyncIterable<Buffer>) {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const jws = JSON.parse(Buffer.concat(chunks).toString()) as Record<
      'protected' | 'payload' | 'signature',
      string
    >;
    const head = JSON.parse(Buffer.from(jws.protected, 'base64url').toString()) as {
      nonce: string;
      kid?: string;
      jwk?: JsonWebKey;
    };
    if (!nonces.delete(head.nonce)) throw new Refusal(400, 'badNonce', 'the nonce was used');
    const account = accounts.get(head.kid ?? '');
    const jwk = head.jwk ?? account?.jwk;
    if (jwk === undefined) throw new Refusal(400, 'accountDoesNotExist', 'there is no such account');
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const text = Buffer.from(`${jws.protected}.${jws.payload}`);
    const isGenuine = verify(
      'sha256',
      text,
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(jws.signature, 'base64url'),
    );
    if (!isGenuine) throw new Refusal(400, 'malformed', 'the signature is wrong');
    const payload = jws.payload === '' ? {} : JSON.parse(Buffer.from(jws.payload, 'base64url').toString());
    return { account, accountUrl: head.kid, jwk, payload: payload as Record<string, unknown> };
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, { directory: `https://127.0.0.1:${port}/directory` });
}

function lookByHttp(port: number, name: string, token: string, wanted: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const path = `/.well-known/acme-challenge/${token}`;
    const call = request({ host: '127.0.0.1', port, path, headers: { Host: name } }, async (res) => {
      let text = '';
      for await (const chunk of res) text += chunk;
      if (res.statusCode === 200 && text === wanted) resolve();
      else reject(new Error(`the answer was ${res.statusCode} ${text}`));
    });
    call.on('error', reject).end();
  });
}

/** The extension holds the digest of what http-01 would answer (RFC 8737). */
function lookByTls(port: number, name: string, wanted: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, servername: name, ALPNProtocols: ['acme-tls/1'] };
    const socket = connect({ ...options, rejectUnauthorized: false }, () => {
      const { raw } = socket.getPeerCertificate();
      const isAgreed = socket.alpnProtocol === 'acme-tls/1';
      const digest = createHash('sha256').update(wanted).digest();
      const isFor = new X509Certificate(raw).checkHost(name) !== undefined;
      socket.destroy();
      if (isAgreed && isFor && raw.includes(digest)) resolve();
      else reject(new Error('the certificate proves nothing'));
    });
    socket.on('error', reject);
  });
}
