// The list of works of others in the executable, as CycloneDX 1.6 (https://cyclonedx.org) and with the words of their licenses.
import { createHash } from 'node:crypto';
import type { LicensedWork } from '../src/kernel/build-contents.ts';
import type { BuildInfo } from '../src/kernel/build-info.ts';
import type { Component } from './components.ts';

/**
 * The bill of materials.
 *
 * @param target machine that the executable is for
 * @returns the text of a JSON document, the same for the same executable
 */
export function billOfMaterials(info: BuildInfo, target: string, components: readonly Component[]): string {
  const self = `pkg:generic/appctl@${info.version}`;
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      ...(info.builtAt !== null && { timestamp: info.builtAt }),
      component: {
        type: 'application',
        'bom-ref': self,
        name: 'appctl',
        version: info.version,
        purl: self,
        properties: [
          { name: 'appctl:target', value: target },
          ...(info.commit === null ? [] : [{ name: 'appctl:commit', value: info.commit }]),
        ],
      },
    },
    components: components.map((component) => componentOf(component)),
    dependencies: [
      { ref: self, dependsOn: components.map(({ purl }) => purl) },
      ...components.map(({ purl, dependsOn }) => ({ ref: purl, dependsOn })),
    ],
  };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(bill))}`;
  return `${JSON.stringify({ ...bill, serialNumber }, null, 1)}\n`;
}

/** @param whole package URL of the work that it is a part of */
function componentOf({ name, version, license, purl, integrity, parts }: Component, whole?: string): object {
  const [group, short] = name.startsWith('@') ? name.split('/') : [undefined, name];
  return {
    type: name === 'Node.js' ? 'platform' : 'library',
    // The same library can be in Node and in libvips.
    'bom-ref': whole === undefined ? purl : `${whole}#${name}`,
    ...(group !== undefined && { group }),
    name: short,
    version,
    ...(integrity?.startsWith('sha512-') && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }],
    }),
    licenses: [licenseOf(license)],
    purl,
    ...(parts.length > 0 && { components: parts.map((part) => componentOf(part, purl)) }),
  };
}

function licenseOf(license: string): object {
  if (/ (OR|AND|WITH) /.test(license)) return { expression: license };
  return license.startsWith('LicenseRef-')
    ? { license: { name: license.slice('LicenseRef-'.length) } }
    : { license: { id: license } };
}

/** A UUID that follows from a text (RFC 9562, version 8). */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** What `appctl version --licenses` prints. */
export function licensedWorks(components: readonly Component[]): LicensedWork[] {
  return components.map(({ name, version, license, text, parts }) => ({
    name,
    version,
    license,
    text,
    parts: parts.map((part) => ({ name: part.name, version: part.version, license: part.license })),
  }));
}
