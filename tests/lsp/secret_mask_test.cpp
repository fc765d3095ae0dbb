#include "lsp/secret_mask.h"

#include <gtest/gtest.h>

namespace hearth::lsp {
namespace {

// Put together here, so that no scanner takes this file for a leak.
std::string shape(const std::string& prefix, const std::string& body) { return prefix + body; }

TEST(SecretMask, HidesKeysAndTokensAndKeepsLengths) {
  const std::string body = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
  for (const std::string& secret : {shape("AK"
                                          "IA",
                                          "IOSFODNN7EXAMPLE"),
                                    shape("gh"
                                          "p_",
                                          body),
                                    shape("gl"
                                          "pat-",
                                          "a1B2c3D4e5F6g7H8i9J0"),
                                    shape("AI"
                                          "za",
                                          body),
                                    shape("s"
                                          "k-",
                                          body),
                                    shape("xo"
                                          "xb-",
                                          "123456789012-abc"),
                                    shape("ey"
                                          "J",
                                          "hbGciOiJIUzI1NiJ9." + body)}) {
    const std::string text = "key = f('" + secret + "')  # end\n";
    const std::string masked = with_secrets_masked(text);
    EXPECT_EQ(text.size(), masked.size()) << text;
    EXPECT_EQ(std::string::npos, masked.find(secret)) << masked;
    EXPECT_TRUE(masked.ends_with("')  # end\n")) << masked;
  }
}

TEST(SecretMask, HidesWhatSecretNamesAreGiven) {
  EXPECT_EQ("DB_PASSWORD = 'xxxxxxxxxxxx'\n", with_secrets_masked("DB_PASSWORD = 'hunter2!Qz#9'\n"));
  EXPECT_EQ("{\"api_key\": \"xxxxxxxxxxxxxxxx\"}",
            with_secrets_masked("{\"api_key\": \"9f86d081884c7d65\"}"));
  EXPECT_EQ("config[\"secret\"] = \"xxxxxxxxxxxx\"",
            with_secrets_masked("config[\"secret\"] = \"k8-Zq.11Lw_v\""));
  EXPECT_EQ("#define WIFI_PASSWORD \"xxxxxxxxxxx\"",
            with_secrets_masked("#define WIFI_PASSWORD \"Tr0ub4dor&3\""));
  EXPECT_EQ("define('DB_PASSWORD', 'xxxxxxxxxxxx');",
            with_secrets_masked("define('DB_PASSWORD', 'hunter2!Qz#9');"));
  EXPECT_EQ("TOKEN_SERVICE_ACCOUNT = 'xxxxxxxxxxxx'",
            with_secrets_masked("TOKEN_SERVICE_ACCOUNT = 'k8-Zq.11Lw_v'"));
  EXPECT_EQ("url = \"postgres://me:xxxxxxx@host/db\"",
            with_secrets_masked("url = \"postgres://me:s3cr3t!@host/db\""));
  EXPECT_EQ(
      "-----BEGIN RSA PRIVATE KEY-----\nxxxx\nxx\n-----END RSA PRIVATE KEY-----\n",
      with_secrets_masked("-----BEGIN RSA PRIVATE KEY-----\nMIIE\nab\n-----END RSA PRIVATE KEY-----\n"));
}

TEST(SecretMask, HidesValuesWithoutQuotes) {
  EXPECT_EQ("db:\n  password: xxxxxxxxxxxx\n", with_secrets_masked("db:\n  password: hunter2!Qz#9\n"));
  EXPECT_EQ("export API_KEY=xxxxxxxxxxxxxxxx\n", with_secrets_masked("export API_KEY=9f86d081884c7d65\n"));
  EXPECT_EQ("secret_key = xxxxxxxxxxxx ; mine\n", with_secrets_masked("secret_key = k8-Zq.11Lw_v ; mine\n"));
  EXPECT_EQ("TOKEN=xxxxxxxxxxxxxxxxxx", with_secrets_masked("TOKEN=b7d1e0c9a84f3b26d5"));
  for (const char* text :
       {"secret: my-app\n", "token = tokens.next_token2\n", "password = hashed(salt1, word2)\n",
        "token_url: https://host1.example/a?b=2\n", "password: /run/secrets/db1_password\n",
        "token = self.tokens[index0]\n", "secret: ${APP_SECRET_1}\n", "token: Token2Kind = kind\n",
        "credential := provider.credential2\n", "secretName: my-app-secret-v2\n"}) {
    EXPECT_EQ(text, with_secrets_masked(text));
  }
}

TEST(SecretMask, LeavesCodeAsItIs) {
  for (const char* text :
       {"", "def token(self): return self.tokens[0]\n", "password = input('Password: ')\n",
        "token = 'identifier'\n", "secret = os.environ['APP_SECRET']\n", "const password = \"password\";\n",
        "if (token == \"(\") next();\n", "api_key: str = ''\n", "password = f\"{user}:{word}\"\n",
        "token_type = 'mailbox-list'\n", "const tokenKind = 'quoted-string';\n",
        "f('password', 'default-words')\n", "see https://a.b/c@d\n", "-----BEGIN CERTIFICATE-----\nMIIE\n",
        "sk-learn-2-something"}) {
    EXPECT_EQ(text, with_secrets_masked(text));
  }
}

TEST(SecretMask, TakesTextsCutAnywhere) {
  const std::string text =
      "password = 'hunter2!Qz#9'\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nhttp://a:b@c/\n";
  for (std::size_t start = 0; start <= text.size(); ++start) {
    for (std::size_t end = start; end <= text.size(); ++end)
      EXPECT_EQ(end - start, with_secrets_masked(text.substr(start, end - start)).size());
  }
}

}  // namespace
}  // namespace hearth::lsp
