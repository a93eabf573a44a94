import { RecordFault } from '#kernel/records/fault.ts';

type Json = Record<string, unknown>;

/** A resource of a JSON:API document. */
interface Resource {
  type?: unknown;
  id?: unknown;
  attributes?: Json;
  relationships?: Record<string, { data?: unknown } | undefined>;
}

/**
 * The licenses of a JSON document as records: `{data, included}` as both products answer, or a plain list of them.
 * What belongs to a license elsewhere in the document becomes columns of it.
 *
 * @returns values by column
 * @throws RecordFault for a document of another form
 */
export function jsonRecords(
  source: 'keygen' | 'lemonsqueezy',
  document: unknown,
): Iterable<[string, unknown]>[] {
  const data = Array.isArray(document) ? document : (document as { data?: unknown }).data;
  const list = Array.isArray(data) ? data : data === undefined ? null : [data];
  if (list === null || list.some((one) => typeof one !== 'object' || one === null)) {
    throw new RecordFault('the JSON document has no list of licenses under "data"');
  }
  const rest = (document as { included?: unknown }).included;
  const resources = [...list, ...(Array.isArray(rest) ? rest : [])] as Resource[];
  const isLicense = ({ type }: Resource) =>
    type === undefined || type === 'licenses' || type === 'license-keys';
  const records = source === 'keygen' ? keygenRecords : lemonRecords;
  return records((list as Resource[]).filter(isLicense), resources);
}

function keygenRecords(licenses: Resource[], resources: Resource[]): Iterable<[string, unknown]>[] {
  const users = byId(resources, 'users');
  const machines = Map.groupBy(ofType(resources, 'machines'), (machine) => relatedId(machine, 'license'));
  return licenses.map((license): [string, unknown][] => {
    // Newer accounts have an owner, older ones a user.
    const user = users.get(relatedId(license, 'owner') ?? relatedId(license, 'user') ?? '');
    const own = machines.get(String(license.id)) ?? [];
    return [
      ...Object.entries(attributesOf(license)),
      ...Object.entries(user ?? {}).map(([name, value]): [string, unknown] => [`user.${name}`, value]),
      ...(own.length > 0 ? [['machines', own.map(attributesOf)] as [string, unknown]] : []),
    ];
  });
}

function lemonRecords(licenses: Resource[], resources: Resource[]): Iterable<[string, unknown]>[] {
  const instances = Map.groupBy(ofType(resources, 'license-key-instances'), (instance) =>
    String(attributesOf(instance).license_key_id),
  );
  return licenses.map((license): [string, unknown][] => {
    const own = instances.get(String(license.id)) ?? [];
    return [
      ['id', license.id],
      ...Object.entries(attributesOf(license)),
      ...(own.length > 0 ? [['instances', own.map(attributesOf)] as [string, unknown]] : []),
    ];
  });
}

/** A plain list has its attributes on the object itself. */
const attributesOf = (resource: Resource): Json => resource.attributes ?? (resource as Json);

const ofType = (resources: readonly Resource[], type: string): Resource[] =>
  resources.filter((one) => one.type === type);

const byId = (resources: readonly Resource[], type: string): Map<string, Json> =>
  new Map(ofType(resources, type).map((one) => [String(one.id), attributesOf(one)]));

function relatedId({ relationships }: Resource, name: string): string | undefined {
  const id = (relationships?.[name]?.data as { id?: unknown } | null | undefined)?.id;
  return id === undefined || id === null ? undefined : String(id);
}
