// Verifies Ed25519 signatures (RFC 8032), which .NET has no class for. It only ever sees public values, so it
// need not run in constant time; never sign with it.
using System;
using System.Numerics;
using System.Security.Cryptography;

public static class Ed25519
{
    private static readonly BigInteger P = BigInteger.Pow(2, 255) - 19;
    private static readonly BigInteger Order =
        BigInteger.Pow(2, 252) + BigInteger.Parse("27742317777372353535851937790883648493");
    private static readonly BigInteger D = Mod(-121665 * Inverse(121666));
    private static readonly BigInteger RootOfMinusOne = BigInteger.ModPow(2, (P - 1) / 4, P);
    private static readonly Point Base = Point.Decode(BaseBytes())!;

    /// <summary>Whether the signature of 64 bytes over the message was made with the key of 32 bytes.</summary>
    public static bool Verify(byte[] publicKey, byte[] message, byte[] signature)
    {
        if (publicKey.Length != 32 || signature.Length != 64) return false;
        var (first, second) = (signature[..32], signature[32..]);
        var (key, commitment, scalar) = (Point.Decode(publicKey), Point.Decode(first), Number(second));
        // A key of small order would accept signatures that nobody made.
        if (key == null || commitment == null || scalar >= Order || key.Times(8).IsNeutral) return false;
        using var sha = SHA512.Create();
        var all = new byte[64 + message.Length];
        first.CopyTo(all, 0);
        publicKey.CopyTo(all, 32);
        message.CopyTo(all, 64);
        var challenge = Number(sha.ComputeHash(all)) % Order;
        return Base.Times(scalar).Equals(commitment.Plus(key.Times(challenge)));
    }

    private static byte[] BaseBytes()
    {
        var bytes = new byte[32];
        Array.Fill(bytes, (byte)0x66);
        bytes[0] = 0x58;
        return bytes;
    }

    private static BigInteger Number(byte[] littleEndian) =>
        new BigInteger(littleEndian, isUnsigned: true, isBigEndian: false);

    private static BigInteger Mod(BigInteger value)
    {
        var rest = value % P;
        return rest.Sign < 0 ? rest + P : rest;
    }

    private static BigInteger Inverse(BigInteger value) => BigInteger.ModPow(Mod(value), P - 2, P);

    /// <summary>A point of the curve in extended coordinates: x = X/Z, y = Y/Z, xy = T/Z.</summary>
    private sealed class Point
    {
        private readonly BigInteger x, y, z, t;

        private Point(BigInteger x, BigInteger y, BigInteger z, BigInteger t) =>
            (this.x, this.y, this.z, this.t) = (x, y, z, t);

        private static readonly Point Neutral = new Point(0, 1, 1, 0);

        public bool IsNeutral => Equals(Neutral);

        /// <returns>null for bytes that are not a point</returns>
        public static Point? Decode(byte[] bytes)
        {
            var sign = bytes[31] >> 7;
            var y = Number(bytes) & (BigInteger.One << 255) - 1;
            if (y >= P) return null;
            var square = Mod((y * y - 1) * Inverse(D * y * y + 1));
            var x = BigInteger.ModPow(square, (P + 3) / 8, P);
            if (Mod(x * x - square) != 0) x = Mod(x * RootOfMinusOne);
            if (Mod(x * x - square) != 0 || (x.IsZero && sign == 1)) return null;
            if ((int)(x & 1) != sign) x = P - x;
            return new Point(x, y, 1, Mod(x * y));
        }

        public Point Plus(Point other)
        {
            var a = Mod((y - x) * (other.y - other.x));
            var b = Mod((y + x) * (other.y + other.x));
            var c = Mod(2 * t * other.t * D);
            var d = Mod(2 * z * other.z);
            var (e, f, g, h) = (b - a, d - c, d + c, b + a);
            return new Point(Mod(e * f), Mod(g * h), Mod(f * g), Mod(e * h));
        }

        public Point Times(BigInteger factor)
        {
            var (sum, power) = (Neutral, this);
            for (; factor > 0; factor >>= 1, power = power.Plus(power))
                if (!factor.IsEven) sum = sum.Plus(power);
            return sum;
        }

        public bool Equals(Point other) =>
            Mod(x * other.z - other.x * z).IsZero && Mod(y * other.z - other.y * z).IsZero;
    }
}
