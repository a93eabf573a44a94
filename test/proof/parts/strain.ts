// Clients that go on while the server cannot: licenses are written, purchases are reported, and what was not done is sent
// again until it is. Everything that was acknowledged is remembered.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Client, createClient } from './client.ts';
import { createApiKey, createProduct, type Installation, withKey } from './installation.ts';
import { Ledger } from './ledger.ts';
import { createWorker, type Subject, WriteFailed } from './load.ts';
import { Complaints } from './proof.ts';
import {
  openPlaces,
  PROCESSORS,
  type ProcessorName,
  type Purchase,
  purchase,
  type Report,
  type Shop,
  signatureOf,
} from './purchases.ts';
import { type Random, randomFrom } from './random.ts';

const CLIENTS = 12;
const FLOATING = 3;
const SEATS = 8;
const PURCHASE_EVERY_MS = 60;
/** So long a client waits before it sends again what failed. */
const PAUSE_MS = 40;
/** A processor's next attempt. */
const AGAIN_MS = 300;
const LAST_WRITE_MS = 30_000;

/** What clients work on. */
export interface Ground extends Subject {
  readonly shop: Shop;
}

/** Makes what clients work on; the server runs. */
export async function layGround(installation: Installation, url: string): Promise<Ground> {
  const client = createClient(url, 1);
  try {
    const { id: productId } = await createProduct(installation, 'editor');
    const apiKey = await createApiKey(installation, 'proof');
    const shop = await openPlaces(installation, 'editor');
    const floating: { id: string; key: string }[] = [];
    for (let i = 0; i < FLOATING; i++) {
      const body = { productId, customerEmail: 'ann@example.com', type: 'FLOATING', maxActivations: SEATS };
      const ask = { method: 'POST' as const, path: '/api/v1/license/create', headers: withKey(apiKey), body };
      floating.push(JSON.parse((await client.ask(ask)).body).license);
    }
    return { apiKey, productId, shop, floating: floating as unknown as Subject['floating'] };
  } finally {
    client.close();
  }
}

/** How purchases may be answered beside being kept. */
export interface Manner {
  /** Whether a report may be answered 503: the processor then sends it again. */
  readonly mayTurnAway: boolean;
}

/** Clients at work on one server. */
export class Strain {
  readonly ledger = new Ledger();
  /** Answers that none may give. */
  readonly wrong = new Complaints();
  readonly purchases: Purchase[] = [];
  /** Writes that were answered with 500. */
  failed = 0;
  /** Reports of purchases that were kept on the disk, and those that were turned away. */
  spooled = 0;
  turnedAway = 0;
  /** Since it was last set to 0. */
  slowestMs = 0;
  readonly #url: string;
  readonly #ground: Ground;
  readonly #random: Random;
  readonly #manner: Manner;
  readonly #working: Promise<unknown>;
  #isOver = false;
  #reports: Promise<void>[] = [];

  constructor(url: string, ground: Ground, random: Random, manner: Manner) {
    this.#url = url;
    this.#ground = ground;
    this.#random = random;
    this.#manner = manner;
    const workers = Array.from({ length: CLIENTS }, () => this.#work());
    this.#working = Promise.all([...workers, this.#sell()]);
    // Whoever ends it is told.
    this.#working.catch(() => undefined);
  }

  /** Each client makes the write that it is at, and ends. @throws Error when one of them cannot */
  async end(): Promise<void> {
    this.#isOver = true;
    const late = new Error(`a write was not made within ${LAST_WRITE_MS} ms`);
    const tooLate = sleep(LAST_WRITE_MS, undefined, { ref: false }).then(() => Promise.reject(late));
    await Promise.race([this.#working.then(() => Promise.all(this.#reports)), tooLate]);
  }

  async #work(): Promise<void> {
    const seed = this.#random.below(2 ** 32);
    const step = createWorker(this.#ground, randomFrom(seed), this.ledger, this.wrong, true);
    const client = createClient(this.#url, 1);
    try {
      while (!(await this.#isMade(step, client)) || !this.#isOver);
    } finally {
      client.close();
    }
  }

  async #isMade(step: (client: Client) => Promise<void>, client: Client): Promise<boolean> {
    const beganMs = performance.now();
    try {
      await step(client);
      return true;
    } catch (error) {
      this.#note(error as Error);
      await sleep(PAUSE_MS);
      return false;
    } finally {
      this.slowestMs = Math.max(this.slowestMs, Math.round(performance.now() - beganMs));
    }
  }

  #note(error: Error): void {
    if (!(error instanceof WriteFailed)) {
      this.wrong.unless(false, () => error.message);
      return;
    }
    this.failed += 1;
    const isPromised = error.status === 500 && codeOf(error.body) === 'SERVER_ERROR';
    this.wrong.unless(isPromised, () => error.message);
  }

  async #sell(): Promise<void> {
    const client = createClient(this.#url, CLIENTS);
    for (let i = 0; !this.#isOver; i++) {
      const processor = PROCESSORS[i % PROCESSORS.length] as ProcessorName;
      const bought = purchase(processor, `order-${i}-${processor}`);
      this.purchases.push(bought);
      this.#reports.push(this.#report(client, bought.reports[0] as Report, bought.orderId));
      await sleep(PURCHASE_EVERY_MS);
    }
  }

  /** As a processor does: until it is answered. */
  async #report(client: Client, report: Report, orderId: string): Promise<void> {
    const place = this.#ground.shop[report.processor];
    const path = `/api/v1/webhooks/inbound/${place.configId}`;
    for (;;) {
      try {
        const headers = signatureOf(place, report);
        const answer = await client.ask({ method: 'POST', path, headers, body: report.body });
        if (this.#isKept(answer, orderId)) return;
      } catch (error) {
        this.wrong.unless(false, () => `${orderId}: ${(error as Error).message}`);
      }
      await sleep(AGAIN_MS);
    }
  }

  #isKept({ status, body }: Answer, orderId: string): boolean {
    const said = status === 200 ? (JSON.parse(body) as Record<string, unknown>) : {};
    if (said.spooled === true) this.spooled += 1;
    if (said.success === true) return true;
    const isTurnedAway = status === 503 && codeOf(body) === 'SERVER_ERROR' && this.#manner.mayTurnAway;
    if (isTurnedAway) this.turnedAway += 1;
    this.wrong.unless(isTurnedAway, () => `${orderId} was answered ${status}: ${body}`);
    return false;
  }
}

/** The code of a refusal on either surface; empty when there is none. */
export function codeOf(body: string): string {
  try {
    const said = JSON.parse(body) as { error?: { code?: string }; error_code?: string };
    return said.error?.code ?? said.error_code ?? '';
  } catch {
    return '';
  }
}
