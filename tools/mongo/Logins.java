// Logins by SCRAM-SHA-256 (RFC 5802 and 7677) for one user, so that the stand-in can ask for a password as a mongod does.
// A connection may do nothing but log in and ask what the server is until it has shown that it knows the password.

import de.bwaldvogel.mongo.bson.BinData;
import de.bwaldvogel.mongo.bson.Document;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

final class Logins {
  private static final String MECHANISM = "SCRAM-SHA-256";
  private static final int ITERATIONS = 15_000;
  private static final int SALT_BYTES = 16;
  private static final int NONCE_BYTES = 24;
  private static final int KEY_BITS = 256;
  /** What a connection may ask before it has logged in. */
  private static final Set<String> OPEN = Set.of("hello", "isMaster", "ismaster", "buildInfo", "buildinfo", "ping");

  private static final AttributeKey<Boolean> LOGGED_IN = AttributeKey.valueOf("loggedIn");
  private static final AttributeKey<String[]> BEGUN = AttributeKey.valueOf("begunLogin");

  private final SecureRandom random = new SecureRandom();
  private final String user;
  private final byte[] salt = new byte[SALT_BYTES];
  private final byte[] storedKey;
  private final byte[] serverKey;

  Logins(String user, String password) {
    this.user = user;
    random.nextBytes(salt);
    try {
      var spec = new PBEKeySpec(password.toCharArray(), salt, ITERATIONS, KEY_BITS);
      byte[] salted = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
      storedKey = sha256(hmac(salted, "Client Key"));
      serverKey = hmac(salted, "Server Key");
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException(error);
    }
  }

  /** The answer to a request about logins, or to one that needs a login and has none; null when the request may go on. */
  Document answerTo(Channel channel, Document request) {
    String command = request.keySet().iterator().next();
    return switch (command) {
      case "saslStart" -> start(channel, request);
      case "saslContinue" -> finish(channel, request);
      default -> {
        boolean mayGoOn = OPEN.contains(command) || Boolean.TRUE.equals(channel.attr(LOGGED_IN).get());
        yield mayGoOn ? null : failure(13, "Unauthorized", "command " + command + " requires authentication");
      }
    };
  }

  private Document start(Channel channel, Document request) {
    channel.attr(LOGGED_IN).set(false);
    String first = textOf(request);
    // `n,,` says that no channel is bound; `n=user,r=nonce` follows.
    if (!MECHANISM.equals(request.get("mechanism")) || !first.startsWith("n,,n=")) return refusal();
    String bare = first.substring(3);
    String[] parts = bare.split(",");
    if (parts.length < 2 || !parts[0].equals("n=" + user) || !parts[1].startsWith("r=")) return refusal();
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    String nonces = parts[1] + Base64.getEncoder().encodeToString(nonce);
    String answer = nonces + ",s=" + Base64.getEncoder().encodeToString(salt) + ",i=" + ITERATIONS;
    channel.attr(BEGUN).set(new String[] {bare, answer, nonces});
    return step(answer, false);
  }

  private Document finish(Channel channel, Document request) {
    String[] begun = channel.attr(BEGUN).getAndSet(null);
    String last = textOf(request);
    int proofAt = last.lastIndexOf(",p=");
    if (begun == null || proofAt < 0) return refusal();
    String withoutProof = last.substring(0, proofAt);
    if (!withoutProof.equals("c=biws," + begun[2])) return refusal();
    String signed = begun[0] + "," + begun[1] + "," + withoutProof;
    try {
      byte[] key = hmac(storedKey, signed);
      byte[] proof = Base64.getDecoder().decode(last.substring(proofAt + 3));
      if (proof.length != key.length) return refusal();
      for (int i = 0; i < key.length; i++) key[i] ^= proof[i];
      if (!MessageDigest.isEqual(sha256(key), storedKey)) return refusal();
      channel.attr(LOGGED_IN).set(true);
      return step("v=" + Base64.getEncoder().encodeToString(hmac(serverKey, signed)), true);
    } catch (IllegalArgumentException notBase64) {
      return refusal();
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException(error);
    }
  }

  private static String textOf(Document request) {
    return request.get("payload") instanceof BinData data ? new String(data.getData(), StandardCharsets.UTF_8) : "";
  }

  private static Document step(String payload, boolean isDone) {
    Document answer = new Document("conversationId", 1).append("done", isDone);
    return answer.append("payload", new BinData(payload.getBytes(StandardCharsets.UTF_8))).append("ok", 1.0);
  }

  private static Document refusal() {
    return failure(18, "AuthenticationFailed", "Authentication failed.");
  }

  private static Document failure(int code, String name, String says) {
    return new Document("ok", 0.0).append("errmsg", says).append("code", code).append("codeName", name);
  }

  private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] sha256(byte[] bytes) throws GeneralSecurityException {
    return MessageDigest.getInstance("SHA-256").digest(bytes);
  }
}
