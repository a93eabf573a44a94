using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;

public static class Program
{
    private const string Usage = @"usage: license activate | validate | token | verify-token FILE | verify-release BUNDLE
Settings: LICENSE_URL, LICENSE_API_KEY, LICENSE_PRODUCT, LICENSE_KEY, LICENSE_MACHINE, LICENSE_VERSION,
LICENSE_ROOT_KEY, and LICENSE_NOW (Unix seconds) to try another time.";

    private static string Setting(string name) => Environment.GetEnvironmentVariable("LICENSE_" + name) ?? "";

    public static async Task<int> Main(string[] args)
    {
        string code;
        try
        {
            code = await Run(args.FirstOrDefault() ?? "", args.Skip(1).FirstOrDefault() ?? "");
        }
        catch (ApiException refusal)
        {
            code = refusal.Code;
        }
        if (code == "")
        {
            Console.Error.WriteLine(Usage);
            return 2;
        }
        Console.WriteLine(code);
        return code == "ACTIVATED" || code == "VALID" || code == "GRACE" || code.StartsWith("license/") ? 0 : 1;
    }

    /// <returns>the code to print, or the token</returns>
    private static async Task<string> Run(string command, string file)
    {
        var now = long.TryParse(Setting("NOW"), out var at) ? at : DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        var body = new { licenseKey = Setting("KEY"), machineId = Setting("MACHINE"), appVersion = Setting("VERSION") };
        Task<JsonElement> Ask(string operation) => License.Call(Setting("URL"), Setting("API_KEY"), operation, body);
        byte[][] Roots() => new[] { License.RootKey(Setting("ROOT_KEY")) };
        switch (command)
        {
            case "activate":
                await Ask("activate");
                return "ACTIVATED";
            case "validate":
                return (await Ask("validate")).GetProperty("code").GetString()!;
            case "token":
                return (await Ask("offline-token")).GetProperty("token").GetString()!;
            case "verify-token":
                var machine = new Machine { Roots = Roots(), Product = Setting("PRODUCT"), Id = Setting("MACHINE"), Version = Setting("VERSION"), Now = now };
                return License.VerifyToken(File.ReadAllText(file), machine).Code;
            case "verify-release":
                var signed = JsonDocument.Parse(File.ReadAllText(file + ".sig.json")).RootElement;
                return License.VerifyRelease(file, signed, Roots(), Setting("PRODUCT"), now, 0).Code;
            default:
                return "";
        }
    }
}
