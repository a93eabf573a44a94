// Works within works: what Node and libvips are linked with. Their texts are in the license of the whole.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Component } from './components.ts';

/** Names of `process.versions` and the terms that Node's LICENSE states for them. A new one stops the build. */
const LICENSES_OF_NODE: Readonly<Record<string, string>> = {
  acorn: 'MIT',
  ada: 'MIT',
  amaro: 'MIT',
  ares: 'MIT',
  brotli: 'MIT',
  cldr: 'Unicode-3.0',
  icu: 'Unicode-3.0',
  llhttp: 'MIT',
  merve: 'MIT',
  nbytes: 'MIT',
  ncrypto: 'MIT',
  nghttp2: 'MIT',
  nghttp3: 'MIT',
  ngtcp2: 'MIT',
  openssl: 'Apache-2.0',
  simdjson: 'Apache-2.0',
  simdutf: 'MIT',
  sqlite: 'blessing',
  tz: 'LicenseRef-public-domain',
  undici: 'MIT',
  unicode: 'Unicode-3.0',
  uv: 'MIT',
  uvwasi: 'MIT',
  v8: 'BSD-3-Clause',
  zlib: 'Zlib',
  zstd: 'BSD-3-Clause',
};
/** Numbers of interfaces, and Node itself. */
const NOT_PARTS = new Set(['node', 'modules', 'napi']);

/** Names of `versions.json` and the terms that the README of the package states for them. */
const LICENSES_OF_LIBVIPS: Readonly<Record<string, string>> = {
  aom: 'BSD-2-Clause',
  archive: 'BSD-2-Clause',
  cairo: 'MPL-1.1',
  cgif: 'MIT',
  exif: 'LGPL-3.0-or-later',
  expat: 'MIT',
  ffi: 'MIT',
  fontconfig: 'HPND-sell-variant',
  freetype: 'FTL',
  fribidi: 'LGPL-3.0-or-later',
  glib: 'LGPL-3.0-or-later',
  harfbuzz: 'MIT',
  heif: 'LGPL-3.0-or-later',
  highway: 'BSD-3-Clause',
  imagequant: 'BSD-2-Clause',
  lcms: 'MIT',
  mozjpeg: 'Zlib AND IJG AND BSD-3-Clause',
  pango: 'LGPL-3.0-or-later',
  pixman: 'MIT',
  png: 'libpng-2.0',
  'proxy-libintl': 'LGPL-3.0-or-later',
  rsvg: 'LGPL-3.0-or-later',
  tiff: 'libtiff',
  uhdr: 'MIT',
  vips: 'LGPL-3.0-or-later',
  webp: 'BSD-3-Clause',
  xml2: 'MIT',
  'zlib-ng': 'Zlib',
};

/** @throws Error when the running Node has a part whose license is not known here */
export const partsOfNode = (): Component[] =>
  partsOf(process.versions, LICENSES_OF_NODE, 'Node.js', 'bin/parts.ts');

/**
 * @param place absolute path of the package with libvips
 * @throws Error when it has a part whose license is not known here
 */
export function partsOfLibvips(place: string): Component[] {
  const versions = JSON.parse(readFileSync(join(place, 'versions.json'), 'utf8')) as Record<string, string>;
  return partsOf(versions, LICENSES_OF_LIBVIPS, 'libvips', 'bin/parts.ts');
}

function partsOf(
  versions: NodeJS.Dict<string>,
  licenses: Readonly<Record<string, string>>,
  whole: string,
  list: string,
): Component[] {
  return Object.entries(versions)
    .filter(([name]) => !NOT_PARTS.has(name))
    .map(([name, version = '']) => {
      const license = licenses[name];
      if (license === undefined)
        throw new Error(`${whole} contains ${name}, whose license ${list} does not state`);
      const purl = `pkg:generic/${name}${version === '' ? '' : `@${encodeURIComponent(version)}`}`;
      return { name, version, license, purl, integrity: null, text: '', dependsOn: [], parts: [] };
    });
}
