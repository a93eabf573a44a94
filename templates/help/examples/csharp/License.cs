// Licensing for a .NET application: activate, validate, and verify offline tokens and releases.
// Needs nothing but .NET. Copy this file and Ed25519.cs; Program.cs is only for trying them out.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

/// <summary>An error from the server: Code for the program, Message for people.</summary>
public sealed class ApiException : Exception
{
    public string Code { get; }
    public TimeSpan? RetryAfter { get; }

    public ApiException(string code, string message, TimeSpan? retryAfter) : base(message) =>
        (Code, RetryAfter) = (code, retryAfter);
}

/// <summary>
/// The machine that a token is checked for. Now and LastSeen are Unix seconds; LastSeen is the latest time ever
/// seen on this machine, which you store.
/// </summary>
public sealed class Machine
{
    public IReadOnlyList<byte[]> Roots = Array.Empty<byte[]>();
    public string Product = "", Id = "", Version = "";
    public long Now, LastSeen;
}

public static class License
{
    /// <summary>Seconds by which clocks may differ.</summary>
    private const long Tolerance = 300;
    /// <summary>400 days in seconds.</summary>
    private const long LongestDelegation = 34_560_000;

    private static readonly HttpClient Client = new HttpClient { Timeout = TimeSpan.FromSeconds(10) };

    /// <summary>Calls the license API and returns its answer.</summary>
    /// <exception cref="ApiException">for a refusal</exception>
    /// <exception cref="HttpRequestException">without a connection</exception>
    public static async Task<JsonElement> Call(string url, string apiKey, string operation, object body)
    {
        var text = new StringContent(JsonSerializer.Serialize(body), Encoding.UTF8, "application/json");
        using var request = new HttpRequestMessage(HttpMethod.Post, $"{url}/api/v1/license/{operation}") { Content = text };
        request.Headers.Add("X-API-Key", apiKey);
        using var answer = await Client.SendAsync(request);
        var json = Parse(await answer.Content.ReadAsByteArrayAsync());
        if (answer.IsSuccessStatusCode && json != null) return json.Value;
        if (Get(json, "error") is JsonElement error && Text(error, "code") is string code)
            throw new ApiException(code, Text(error, "message") ?? code, answer.Headers.RetryAfter?.Delta);
        // A proxy answered, not the license server.
        throw new HttpRequestException($"unexpected answer with status {(int)answer.StatusCode}");
    }

    /// <summary>Reads a root key: `appctl keys export KEYID --public --format base64` prints it.</summary>
    public static byte[] RootKey(string text) => Convert.FromBase64String(text)[^32..];

    /// <summary>Verifies an offline token. The license may be used for VALID and GRACE.</summary>
    /// <returns>the code, and the claims if the token is genuine</returns>
    public static (string Code, JsonElement? Claims) VerifyToken(string token, Machine m)
    {
        var parts = Regex.Match(Regex.Replace(token, @"\s", ""), @"^license/([\w-]+)\.([\w-]+)\.([\w-]+)\.([\w-]+)$", RegexOptions.ECMAScript);
        var (payload, delegated) = (parts.Groups[1].Value, parts.Groups[3].Value);
        if (!parts.Success || !(Parse(FromBase64(payload)) is JsonElement claims) || !(Parse(FromBase64(delegated)) is JsonElement granted))
            return ("MALFORMED", null);
        var (signature, rootSignature) = (FromBase64(parts.Groups[2].Value), FromBase64(parts.Groups[4].Value));
        var online = FromBase64(Text(granted, "pub") ?? "");
        if (Whole(claims, "v") != 1) return ("MALFORMED", null);
        var (from, until) = (Whole(granted, "nbf") ?? long.MaxValue, Whole(granted, "exp") ?? 0);
        var trusted = IsSigned(Find(m.Roots, Text(granted, "root")), "delegation/" + delegated, rootSignature)
            && Whole(granted, "v") == 1 && Text(granted, "prd") == m.Product && Has(granted, "use", "license")
            && until - from <= LongestDelegation && m.Now >= from - Tolerance && m.Now < until
            && KeyId(online) == Text(granted, "kid");
        if (!trusted) return ("DELEGATION_INVALID", null);
        var genuine = IsSigned(online, "license/" + payload, signature)
            && Text(claims, "kid") == Text(granted, "kid") && Text(claims, "prd") == m.Product;
        if (!genuine) return ("SIGNATURE_INVALID", null);
        if (!FromBase64(Text(claims, "mid") ?? "").SequenceEqual(Sha256(Encoding.UTF8.GetBytes(m.Id)))) return ("WRONG_MACHINE", null);
        return (Judge(claims, m), claims);
    }

    private static string Judge(JsonElement claims, Machine m)
    {
        if (!(Whole(claims, "iat") is long iat) || !(Whole(claims, "nbf") is long nbf) || !(Whole(claims, "exp") is long exp)) return "MALFORMED";
        if (m.Now < Math.Max(iat, m.LastSeen) - Tolerance) return "CLOCK_ROLLED_BACK";
        if (m.Now < nbf || m.Now >= exp) return "TOKEN_EXPIRED";
        var runs = Text(claims, "st") == "ACTIVE" && (!(Whole(claims, "vu") is long end) || m.Now < end);
        if (!runs && !(Whole(claims, "graceUntil") is long grace && m.Now < grace)) return "EXPIRED";
        if (!VersionAllowed(Text(claims, "mxv"), m.Version)) return "VERSION_NOT_ALLOWED";
        return runs ? "VALID" : "GRACE";
    }

    /// <summary>"2" allows all of 2.x and everything before.</summary>
    private static bool VersionAllowed(string? maxVersion, string version)
    {
        var found = Regex.Match(version, @"[0-9]+(\.[0-9]+){0,2}");
        if (maxVersion == null || !found.Success) return maxVersion == null;
        var installed = (found.Value + ".0.0").Split('.').Select(long.Parse).ToArray();
        foreach (var (limit, place) in maxVersion.Split('.').Select((part, i) => (long.Parse(part), i)))
            if (installed[place] != limit) return installed[place] < limit;
        return true;
    }

    /// <summary>
    /// Verifies a downloaded bundle: install it only for VALID. `signed` is the answer of updates/check, or a
    /// FILE.sig.json; `lastSequence` is the highest sequence that was ever installed from this channel, which you store.
    /// </summary>
    public static (string Code, JsonElement? Statement) VerifyRelease(
        string path, JsonElement signed, IReadOnlyList<byte[]> roots, string product, long now, long lastSequence)
    {
        using var bundle = File.OpenRead(path);
        using var sha = SHA256.Create();
        var digest = sha.ComputeHash(bundle);
        if (Hex(digest) != Text(signed, "sha256")?.ToLowerInvariant()) return ("HASH_MISMATCH", null);
        var signature = FromBase64(Text(signed, "signature") ?? "");
        if (!roots.Any(root => Ed25519.Verify(root, digest, signature))) return ("BAD_SIGNATURE", null);
        var text = Text(signed, "statement") ?? "";
        signature = FromBase64(Text(signed, "statement_signature") ?? Text(signed, "statementSignature") ?? "");
        if (!text.StartsWith("release/", StringComparison.Ordinal) || !(Parse(FromBase64(text.Substring(8))) is JsonElement statement))
            return ("STATEMENT_INVALID", null);
        if (!IsSigned(Find(roots, Text(statement, "kid")), text, signature)
            || Whole(statement, "v") != 1 || Text(statement, "product") != product
            || !DateTimeOffset.TryParse(Text(statement, "expiresAt"), out var expires)) return ("STATEMENT_INVALID", null);
        if (Text(statement, "sha256") != Hex(digest) || Whole(statement, "size") != bundle.Length) return ("STATEMENT_MISMATCH", statement);
        if ((Whole(statement, "sequence") ?? -1) < lastSequence) return ("ROLLBACK", statement);
        return (now < expires.ToUnixTimeSeconds() ? "VALID" : "STATEMENT_EXPIRED", statement);
    }

    private static byte[] Sha256(byte[] bytes)
    {
        using var sha = SHA256.Create();
        return sha.ComputeHash(bytes);
    }

    private static string Hex(byte[] bytes) => string.Concat(bytes.Select(one => one.ToString("x2")));
    private static string KeyId(byte[] key) => Hex(Sha256(key)).Substring(0, 16);
    private static byte[]? Find(IEnumerable<byte[]> roots, string? id) => roots.FirstOrDefault(root => KeyId(root) == id);

    private static bool IsSigned(byte[]? key, string message, byte[] signature) =>
        key != null && Ed25519.Verify(key, Encoding.ASCII.GetBytes(message), signature);

    /// <summary>Base64 of either alphabet; nothing for any other text.</summary>
    private static byte[] FromBase64(string text)
    {
        var plain = text.TrimEnd('=').Replace('-', '+').Replace('_', '/');
        var bytes = new byte[plain.Length];
        return Convert.TryFromBase64String(plain + new string('=', (4 - plain.Length % 4) % 4), bytes, out var length)
            ? bytes[..length] : Array.Empty<byte>();
    }

    /// <returns>null for anything but a JSON object</returns>
    private static JsonElement? Parse(byte[] json)
    {
        try
        {
            using var document = JsonDocument.Parse(json);
            return document.RootElement.ValueKind == JsonValueKind.Object ? document.RootElement.Clone() : (JsonElement?)null;
        }
        catch (JsonException)
        {
            return null;
        }
    }

    private static JsonElement? Get(JsonElement? from, string name) =>
        from?.ValueKind == JsonValueKind.Object && from.Value.TryGetProperty(name, out var value) ? value : (JsonElement?)null;

    private static string? Text(JsonElement from, string name) =>
        Get(from, name) is JsonElement value && value.ValueKind == JsonValueKind.String ? value.GetString() : null;

    private static long? Whole(JsonElement from, string name) =>
        Get(from, name) is JsonElement value && value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out var number) ? number : (long?)null;

    private static bool Has(JsonElement from, string name, string wanted) =>
        Get(from, name) is JsonElement list && list.ValueKind == JsonValueKind.Array
        && list.EnumerateArray().Any(one => one.ValueKind == JsonValueKind.String && one.GetString() == wanted);
}
