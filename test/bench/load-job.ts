// What a load client is told and what it tells.
import type { Fixtures } from './seed.ts';
import type { LoadKind } from './targets.ts';

export interface LoadJob {
  url: string;
  load: LoadKind;
  connections: number;
  /** How long requests are sent. */
  seconds: number;
  /** Requests a second, over connections of the client's own; as many as the server answers when it is left out. */
  perSecond?: number | undefined;
  /** JSON file with `Fixtures`. */
  fixtures: string;
  /** Begins the machineIds of this slice: no other slice uses it. */
  tag: string;
}

export interface LoadResult {
  /** Answered with 2xx. */
  acknowledged: number;
  /** From the first request to the last answer. */
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU of the client, in per cent of one core. */
  clientCpuPercent: number;
  /** Answers that were not 2xx, or whose body was not the expected one, and broken connections. */
  wrong: number;
  /** Requests that were cut off when the slice ended: the server may have served them. */
  cutOff: number;
}

/** One request as it goes over the wire. */
export interface Shot {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  /** In place of those of every request. */
  headers?: Record<string, string>;
}

/** A text that stands in every right answer and in no other. */
export const proofOf: Readonly<Record<LoadKind, string>> = {
  validate: '"valid":true',
  check: '"status":"ACTIVE"',
  'update-check': '"update_available":true',
  activate: '"activation":{"machineId":"',
  heartbeat: '"nextHeartbeatAt":"',
  'record-usage': '"usage":{"current":',
};

/** Headers of every request. */
export const headersOf = (fixtures: Fixtures): Record<string, string> => ({
  'X-API-Key': fixtures.apiKey,
  'Content-Type': 'application/json',
});

export const validateShot = ([licenseKey, machineId]: Fixtures['held'][number]): Shot => ({
  method: 'POST',
  path: '/api/v1/license/validate',
  body: JSON.stringify({ licenseKey, machineId }),
});

export const checkShot = ([licenseKey]: Fixtures['held'][number]): Shot => ({
  method: 'GET',
  path: `/api/v1/license/check/${licenseKey}`,
});

/** Of an installation that has not yet the release that was seeded. */
export const updateCheckShot = ([licenseKey]: Fixtures['held'][number]): Shot => ({
  method: 'GET',
  path: '/api/v1/updates/check?current_version=3.4.1&channel=stable&platform=linux&arch=x86_64',
  headers: { 'X-License-Key': licenseKey },
});

export const activateShot = (licenseKey: string, machineId: string): Shot => ({
  method: 'POST',
  path: '/api/v1/license/activate',
  body: JSON.stringify({ licenseKey, machineId, machineName: 'Bench machine', appVersion: '3.4.1' }),
});

export const heartbeatShot = ([key, machineId]: Fixtures['held'][number]): Shot => ({
  method: 'POST',
  path: '/api/v1/license/heartbeat',
  body: JSON.stringify({ key, machineId }),
});

/** @param feature the slice's tag: what is stored of a slice is counted by it */
export const usageShot = ([key]: Fixtures['held'][number], feature: string): Shot => ({
  method: 'POST',
  path: '/api/v1/license/record-usage',
  body: JSON.stringify({ key, feature, quantity: 1 }),
});

/** What one held license is asked in a slice. */
export function heldShot({ load, tag }: LoadJob): (held: Fixtures['held'][number]) => Shot {
  if (load === 'record-usage') return (held) => usageShot(held, tag);
  return {
    validate: validateShot,
    check: checkShot,
    'update-check': updateCheckShot,
    heartbeat: heartbeatShot,
    activate: validateShot,
  }[load];
}

/** The value below which the given share of sorted values lies. */
export function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
