import { textFault } from '#kernel/http/fields.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { RowFault } from '../report.ts';
import { readDate } from './dates.ts';
import { parsed, type Raw, readText } from './values.ts';

/** A machine that a license is active on at its source. */
export interface ForeignMachine {
  machineId: string;
  machineName: string | null;
  /** ISO 8601 UTC; null when the source does not tell. */
  activatedAt: string | null;
}

/** How the sources call the parts of a machine. */
const ID = ['machineId', 'fingerprint', 'identifier'];
const NAME = ['machineName', 'name', 'hostname'];
const SINCE = ['activatedAt', 'created', 'createdAt', 'created_at'];
const PREFIX = 'imported-';

/**
 * Reads the machines of a license: a list, its JSON text, or ids with commas, semicolons, bars or blanks between them.
 * An id that is shorter than ids are here gets a prefix, which the application has to send too.
 *
 * @throws RowFault VALUE_INVALID, LIMIT_RANGE, DATE_INVALID
 */
export function readMachines(value: Raw): ForeignMachine[] {
  const machines = new Map<string, ForeignMachine>();
  for (const item of listOf(value)) {
    const machine = typeof item === 'object' && item !== null ? fromObject(item) : fromId(item);
    if (machine !== null && !machines.has(machine.machineId)) machines.set(machine.machineId, machine);
  }
  return [...machines.values()];
}

function listOf(value: Raw): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return value === null || value === undefined ? [] : [value];
  const text = value.trim();
  if (!text.startsWith('[')) return text.split(/[\s,;|]+/).filter((id) => id !== '');
  const list = parsed(text);
  if (Array.isArray(list)) return list;
  throw new RowFault('VALUE_INVALID', 'activations is not a JSON list');
}

function fromObject(item: object): ForeignMachine | null {
  const pick = (names: readonly string[]): unknown =>
    names
      .map((name) => (item as Record<string, unknown>)[name])
      .find((one) => one !== undefined && one !== null);
  const machine = fromId(pick(ID));
  return (
    machine && {
      ...machine,
      machineName: readText('machineName', pick(NAME), bounds.machineName) ?? null,
      activatedAt: readDate('activations', pick(SINCE), 'start'),
    }
  );
}

function fromId(value: unknown): ForeignMachine | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const id = String(value).trim();
  if (id === '') return null;
  const machineId = [...id].length < bounds.machineId.min ? `${PREFIX}${id}` : id;
  const fault = textFault(machineId, bounds.machineId.min, bounds.machineId.max);
  if (fault === null) return { machineId, machineName: null, activatedAt: null };
  throw new RowFault(
    fault.rule === 'too_big' ? 'LIMIT_RANGE' : 'VALUE_INVALID',
    `machine id ${fault.message}`,
  );
}
