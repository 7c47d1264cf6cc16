// A server that speaks MongoDB's wire protocol, for machines where no mongod can be had: mongo-java-server behind a
// command line. Run as a single source file, `java -cp 'JARS/*' MongoServer.java --port 27017 (--dir DIR | --memory)`.
// It prints `ready` when it accepts connections; SIGTERM closes the store. Killed, it forgets at most the writes of
// the last COMMIT_DELAY_MS, all of them together.

import de.bwaldvogel.mongo.MongoBackend;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.h2.mvstore.MVStore;

public class MongoServer {
  /** The official driver asks for wire version 9 at least; 13 belongs to MongoDB 5.0. */
  private static final MongoVersion VERSION =
      new MongoVersion() {
        @Override
        public List<Integer> getVersionArray() {
          return List.of(5, 0, 0);
        }

        @Override
        public int getWireVersion() {
          return 13;
        }
      };

  /** How long a write may wait in memory before it is in the file. */
  private static final int COMMIT_DELAY_MS = 200;

  public static void main(String[] args) throws IOException {
    int port = 27017;
    String dir = null;
    boolean memory = false;
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--port" -> port = Integer.parseInt(args[++i]);
        case "--dir" -> dir = args[++i];
        case "--memory" -> memory = true;
        default -> throw new IllegalArgumentException("unknown option " + args[i]);
      }
    }
    if (memory == (dir != null)) throw new IllegalArgumentException("give either --dir DIR or --memory");

    MongoBackend backend = memory ? new MemoryBackend() : openDirectory(Path.of(dir));
    var server = new de.bwaldvogel.mongo.MongoServer(backend.version(VERSION));
    server.bind(new InetSocketAddress("127.0.0.1", port));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    System.out.println("ready");
  }

  private static H2Backend openDirectory(Path dir) throws IOException {
    Files.createDirectories(dir);
    MVStore store = new MVStore.Builder().fileName(dir.resolve("mongo.mv").toString()).open();
    store.setAutoCommitDelay(COMMIT_DELAY_MS);
    return new H2Backend(store);
  }
}
