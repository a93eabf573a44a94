// What staff asks lists of licenses for, of things that are there.
import { readFileSync } from 'node:fs';
import { keyPrefix } from '#licensing/catalog/key-formats/index.ts';
import type { Fixtures, Installation } from './seed.ts';
import { openSql } from './sql.ts';

/** One license of a seeded installation, and what belongs to it. */
export interface Sample {
  readonly productId: string;
  readonly key: string;
  readonly machineId: string;
  /** Of the license by which the others of the seed are numbered. */
  readonly number: number;
}

/** A product, and the first of the licenses that the load client has. */
export async function sampleOf({ databaseUrl, fixtures }: Installation): Promise<Sample> {
  const { held } = JSON.parse(readFileSync(fixtures, 'utf8')) as Fixtures;
  const [key, machineId] = held[Math.floor(held.length / 2)] as Fixtures['held'][number];
  const sql = await openSql(databaseUrl);
  try {
    const productId = await sql.text('SELECT min(id) AS t FROM license_products');
    const number = await sql.number(
      "SELECT replace(l.order_id, 'order-', '') AS n FROM license_activations a JOIN licenses l ON l.id = a.license_id WHERE a.machine_id = ?",
      [machineId],
    );
    return { productId, key, machineId, number };
  } finally {
    await sql.close();
  }
}

const DAYS_BACK = 120;
const DAY_MS = 86_400_000;

/** Queries of three filters, by their names. */
export function listsOf({ productId }: Sample): Readonly<Record<string, string>> {
  const since = new Date(Date.now() - DAYS_BACK * DAY_MS).toISOString();
  return {
    'status, type and tier': 'status=ACTIVE&type=SUBSCRIPTION&tier=PERSONAL',
    'product, status and type': `productId=${productId}&status=ACTIVE&type=PERPETUAL`,
    'product, tier and day': `productId=${productId}&tier=PROFESSIONAL&createdFrom=${since}`,
    'status, type and end, the next end first':
      'status=ACTIVE&type=SUBSCRIPTION&expiring=730d&sort=validUntil',
    'type, tier and never activated': 'type=SUBSCRIPTION&tier=PERSONAL&neverActivated=true',
    'product, status and over-used': `productId=${productId}&status=ACTIVE&overUsed=true`,
  };
}

const PER_CUSTOMER = 4;

/** Texts to search for, by what they are. */
export function searchesOf({ key, machineId, number }: Sample): Readonly<Record<string, string>> {
  const customer = number - (number % PER_CUSTOMER);
  return {
    'e-mail': `customer.${customer}@example.com`,
    key,
    'beginning of a key': keyPrefix(key),
    order: `order-${number}`,
    machine: machineId,
    'part of an address': `omer.${customer}@`,
    'name of a machine': `station ${number}-`,
  };
}
