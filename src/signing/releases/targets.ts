/** Platforms and processors that a release may be for (licensing 6.7); the empty text is any. */
export const PLATFORMS = ['windows', 'darwin', 'linux', 'android', 'ios', 'web'] as const;
export const ARCHITECTURES = ['x64', 'arm64', 'ia32', 'armv7', 'universal'] as const;

/** Other names that clients and build tools have for the same thing (licensing 6.7). */
const PLATFORM_ALIASES: Readonly<Record<string, string>> = {
  win32: 'windows',
  macos: 'darwin',
  osx: 'darwin',
};
const ARCHITECTURE_ALIASES: Readonly<Record<string, string>> = {
  x86_64: 'x64',
  amd64: 'x64',
  aarch64: 'arm64',
  i686: 'ia32',
  x86: 'ia32',
};

/** @returns the platform that a name or an alias means, the empty text for any, null for an unknown name */
export const platformNamed = (name: string): string | null => named(name, PLATFORMS, PLATFORM_ALIASES);

/** @returns the processor that a name or an alias means, the empty text for any, null for an unknown name */
export const archNamed = (name: string): string | null => named(name, ARCHITECTURES, ARCHITECTURE_ALIASES);

function named(
  name: string,
  known: readonly string[],
  aliases: Readonly<Record<string, string>>,
): string | null {
  const meant = Object.hasOwn(aliases, name) ? aliases[name] : name;
  return meant === '' || (meant !== undefined && known.includes(meant)) ? meant : null;
}
